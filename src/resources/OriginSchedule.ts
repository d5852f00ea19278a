import type { Clock } from '../platform/clock';
import { originChecks } from '../platform/diagnostics';
import { defaultCheckMs, nextCheck } from '../personal-data/checkTimes';
import type { Share, ShareStore } from '../personal-data/ShareStore';

/** Dependencies of an {@link OriginSchedule}. */
export interface OriginScheduleOptions {
  shares: Pick<ShareStore, 'listDue'>;
  /** IRIs of the data types that have a source. */
  dataTypes: () => readonly string[];
  /** Milliseconds between two checks of a share; when absent, only checks requested by the operator run. */
  intervalMs?: number;
  now: Clock;
}

/** Maximum number of checks of one data type in a run, and how many of them run concurrently. */
const perRun = 50;
const maxConcurrent = 4;
const firstPauseMs = 15_000;
const maxPauseMs = 60 * 60_000;

/** When to retry an unavailable source, and its number of failures in a row. */
interface Pause {
  failures: number;
  until: number;
}

/** Shares due for a check, by data type. */
export interface DueShares {
  dataType: string;
  shares: Share[];
  /** Maximum number of concurrent checks. */
  atOnce: number;
}

/**
 * Schedules checks of shares at their origins, by due times in the records. While a source is unavailable, only one
 * share is checked at a time, after growing pauses.
 */
export class OriginSchedule {
  private readonly intervalMs: number;
  private readonly pauses = new Map<string, Pause>();

  public constructor(private readonly options: OriginScheduleOptions) {
    this.intervalMs = options.intervalMs ?? defaultCheckMs;
  }

  /** Data types whose shares are checked. */
  public get dataTypes(): readonly string[] {
    return this.options.dataTypes();
  }

  /** Lists shares that are due: first those requested by the operator, even while their source is paused. */
  public async listDue(dataType: string): Promise<DueShares> {
    const { intervalMs, now, shares: store } = this.options;
    const pause = this.pauses.get(dataType);
    const isOff = intervalMs === undefined || (pause && pause.until > now().getTime());
    const shares = await store.listDue(dataType, isOff ? new Date(0) : now(), pause ? 1 : perRun);
    const [ first ] = shares;
    if (!isOff) {
      const lateMs = first?.checkAt && first.checkAt.getTime() > 0 ? now().getTime() - first.checkAt.getTime() : 0;
      originChecks.publish({ dataType, lateSeconds: lateMs / 1000 });
    }
    return { dataType, shares, atOnce: pause ? 1 : maxConcurrent };
  }

  /** Returns the time of the next check of a share that is checked now. */
  public next(share: Share, at: Date): Date {
    return nextCheck(share, at, this.intervalMs);
  }

  /** Returns the time of the next attempt after a check that failed now: earlier than the next check. */
  public retry(share: Share, at: Date): Date {
    const again = at.getTime() + Math.max(1000, this.intervalMs / 24);
    return new Date(Math.min(again, this.next(share, at).getTime()));
  }

  /** Pauses checks at the unavailable source of a data type. */
  public pause(dataType: string): void {
    const failures = (this.pauses.get(dataType)?.failures ?? 0) + 1;
    const pauseMs = Math.min(firstPauseMs * (2 ** (failures - 1)), maxPauseMs);
    this.pauses.set(dataType, { failures, until: this.options.now().getTime() + pauseMs });
  }

  /** Resumes checks at the source of a data type. */
  public resume(dataType: string): void {
    this.pauses.delete(dataType);
  }
}
