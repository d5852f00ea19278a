import type { Clock } from '../platform/clock';
import { originChecks } from '../platform/diagnostics';
import { grantStatus } from '../grants/AccessGrant';
import type { GrantStore } from '../grants/GrantStore';
import type { Logger } from '../platform/logger';
import { nextCheck, usualCheckMs } from '../personal-data/checkTimes';
import type { CheckedShare, Share, ShareStore } from '../personal-data/ShareStore';
import { containersOf } from '../pods/resourceUri';
import type { ResourceUri } from '../pods/resourceUri';
import { OriginUnavailable } from '../problems';
import { SourceFailure } from '../sources/Source';
import { Duty } from '../platform/Duty';
import type { DutyStore } from '../platform/DutyStore';
import type { OriginVerifier } from './OriginVerifier';

/** Stores that say which shares are due, and which of them anybody needs. */
export interface OriginStores {
  duties: DutyStore;
  grants: Pick<GrantStore, 'listByResources'>;
  shares: Pick<ShareStore, 'listDue' | 'setChecked'>;
  /** Copies of resources: a share that somebody has a copy of is checked. */
  dataCopies: { hasOpen: (resource: ResourceUri) => Promise<boolean> };
}

/** Dependencies of an {@link OriginRound}. */
export interface OriginRoundOptions {
  records: OriginStores;
  verifier: Pick<OriginVerifier, 'check'>;
  /** IRIs of those that have a source. */
  dataTypes: () => readonly string[];
  /** Between two checks of a share, in milliseconds; absent: only what the operator asks for is checked. */
  intervalMs?: number;
  /** Of this process, among all that share the records. */
  holder: string;
  logger: Logger;
  now: Clock;
}

/** Result of a check. */
export type CheckOutcome = 'valid' | 'invalid' | 'absent' | 'unavailable' | 'idle';

/** Checks of one data type in a run, and how many of them are under way at once. */
const perRun = 50;
const atOnce = 4;
const firstPauseMs = 15_000;
const longestPauseMs = 60 * 60_000;

/** A check, and what it came to. */
interface Checked {
  result: CheckedShare;
  outcome: CheckOutcome;
  isSourceAway?: boolean;
}

/** When a source that is away is asked again, and how often in a row it was away. */
interface Pause {
  failures: number;
  until: number;
}

/**
 * Checks shares at their origins when they are due, those that somebody may read or has a copy of: what only source or
 * issuer know comes to light without anybody's asking.
 *
 * One process of all nodes is at it. Due times are in the records, by data type: a source that is away holds up
 * no other, proves nothing, and is asked again one share at a time, with growing pauses.
 */
export class OriginRound {
  private readonly options: OriginRoundOptions;
  private readonly intervalMs: number;
  private readonly pauses = new Map<string, Pause>();
  private readonly duty: Duty;

  public constructor(options: OriginRoundOptions) {
    this.options = options;
    this.intervalMs = options.intervalMs ?? usualCheckMs;
    const { holder, now, records: { duties }} = options;
    this.duty = new Duty({ name: 'origin-checks', holder, duties, now });
  }

  /** Checks some of what is due now. To be called every few seconds. */
  public async run(): Promise<void> {
    await Promise.all(this.options.dataTypes().map(async(dataType): Promise<void> => this.runType(dataType)));
  }

  private async runType(dataType: string): Promise<void> {
    const due = await this.listDue(dataType);
    if (due.length === 0 || !await this.duty.take()) {
      return;
    }
    const waiting = [ ...due ];
    const checked: CheckedShare[] = [];
    const isPaused = this.pauses.has(dataType);
    const works = Array.from({ length: isPaused ? 1 : atOnce }, async(): Promise<void> => {
      for (let share = waiting.shift(); share; share = waiting.shift()) {
        const { result, outcome, isSourceAway = false } = await this.check(share);
        checked.push(result);
        originChecks.publish({ dataType, outcome });
        this.notePause(dataType, outcome, isSourceAway);
        if (isSourceAway || !await this.duty.take()) {
          waiting.length = 0;
        }
      }
    });
    await Promise.all(works).finally(async(): Promise<void> => this.options.records.shares.setChecked(checked));
  }

  /** Lists shares that are due: first those that the operator asks for, even while their source is left alone. */
  private async listDue(dataType: string): Promise<Share[]> {
    const { intervalMs, now, records: { shares }} = this.options;
    const pause = this.pauses.get(dataType);
    const isOff = intervalMs === undefined || (pause && pause.until > now().getTime());
    const due = await shares.listDue(dataType, isOff ? new Date(0) : now(), pause ? 1 : perRun);
    const [ first ] = due;
    if (!isOff) {
      const lateMs = first?.checkAt && first.checkAt.getTime() > 0 ? now().getTime() - first.checkAt.getTime() : 0;
      originChecks.publish({ dataType, lateSeconds: lateMs / 1000 });
    }
    return due;
  }

  private async check(share: Share): Promise<Checked> {
    const { logger, now, verifier } = this.options;
    const { digest, id } = share;
    const at = now();
    const checkAt = nextCheck(share, at, this.intervalMs);
    const isAsked = share.checkAt?.getTime() === 0;
    try {
      if (!isAsked && !await this.isNeeded(share)) {
        return { result: { id, digest, checkAt }, outcome: 'idle' };
      }
      const { absentAt, invalidAt } = await verifier.check(share);
      if (absentAt ?? invalidAt) {
        return { result: { id, digest }, outcome: invalidAt ? 'invalid' : 'absent' };
      }
      return { result: { id, digest, checkAt, checkedAt: at }, outcome: 'valid' };
    } catch (error: unknown) {
      if (!(error instanceof OriginUnavailable)) {
        logger.error(`A share could not be checked at its origin: ${(error as Error).name}`);
      }
      const isSourceAway = (error as Error).cause instanceof SourceFailure;
      const again = Math.min(at.getTime() + Math.max(1000, this.intervalMs / 24), checkAt.getTime());
      return { result: { id, digest, checkAt: new Date(again) }, outcome: 'unavailable', isSourceAway };
    }
  }

  private notePause(dataType: string, outcome: CheckOutcome, isSourceAway: boolean): void {
    if (isSourceAway) {
      const failures = (this.pauses.get(dataType)?.failures ?? 0) + 1;
      const pauseMs = Math.min(firstPauseMs * (2 ** (failures - 1)), longestPauseMs);
      this.pauses.set(dataType, { failures, until: this.options.now().getTime() + pauseMs });
    } else if (outcome === 'valid' || outcome === 'invalid') {
      this.pauses.delete(dataType);
    }
  }

  /** There is a grant on it that is active, or a copy that is open. */
  private async isNeeded({ resource }: Share): Promise<boolean> {
    const { now, records: { dataCopies, grants }} = this.options;
    const found = await grants.listByResources([ resource, ...containersOf(resource) ]);
    return found.some((grant): boolean => grantStatus(grant, now()) === 'ACTIVE') ||
      await dataCopies.hasOpen(resource);
  }
}
