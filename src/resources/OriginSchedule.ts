import type { Clock } from '../platform/clock';
import { originChecks } from '../platform/diagnostics';
import { nextCheck, usualCheckMs } from '../personal-data/checkTimes';
import type { Share, ShareStore } from '../personal-data/ShareStore';

/** Dependencies of an {@link OriginSchedule}. */
export interface OriginScheduleOptions {
  shares: Pick<ShareStore, 'listDue'>;
  /** IRIs of those that have a source. */
  dataTypes: () => readonly string[];
  /** Between two checks of a share, in milliseconds; absent: only what the operator asks for is checked. */
  intervalMs?: number;
  now: Clock;
}

/** Checks of one data type in a run, and how many of them are under way at once. */
const perRun = 50;
const mostAtOnce = 4;
const firstPauseMs = 15_000;
const longestPauseMs = 60 * 60_000;

/** When a source that is away is asked again, and how often in a row it was away. */
interface Pause {
  failures: number;
  until: number;
}

/** Shares that are due for a check, by data type. */
export interface DueShares {
  dataType: string;
  shares: Share[];
  /** How many may be checked at the same time. */
  atOnce: number;
}

/**
 * When shares are checked at their origins: by due times in the records, and after growing pauses, one share at a time,
 * where a source is away.
 */
export class OriginSchedule {
  private readonly intervalMs: number;
  private readonly pauses = new Map<string, Pause>();

  public constructor(private readonly options: OriginScheduleOptions) {
    this.intervalMs = options.intervalMs ?? usualCheckMs;
  }

  /** Data types whose shares are checked. */
  public get dataTypes(): readonly string[] {
    return this.options.dataTypes();
  }

  /** Lists shares that are due: first those that the operator asks for, even while their source is left alone. */
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
    return { dataType, shares, atOnce: pause ? 1 : mostAtOnce };
  }

  /** The next check of a share that is checked now. */
  public next(share: Share, at: Date): Date {
    return nextCheck(share, at, this.intervalMs);
  }

  /** The next attempt at a check that failed now: earlier than the next check. */
  public retry(share: Share, at: Date): Date {
    const again = at.getTime() + Math.max(1000, this.intervalMs / 24);
    return new Date(Math.min(again, this.next(share, at).getTime()));
  }

  /** Leaves the source of a data type alone for a while: it was away. */
  public pause(dataType: string): void {
    const failures = (this.pauses.get(dataType)?.failures ?? 0) + 1;
    const pauseMs = Math.min(firstPauseMs * (2 ** (failures - 1)), longestPauseMs);
    this.pauses.set(dataType, { failures, until: this.options.now().getTime() + pauseMs });
  }

  /** The source of a data type is back. */
  public resume(dataType: string): void {
    this.pauses.delete(dataType);
  }
}
