import type { Clock } from '../platform/clock';
import { originChecks } from '../platform/diagnostics';
import type { GrantStore } from '../grants/GrantStore';
import type { Logger } from '../platform/logger';
import type { CheckedShare, Share, ShareStore } from '../personal-data/ShareStore';
import { containersOf } from '../pods/resourceUri';
import type { ResourceUri } from '../pods/resourceUri';
import { OriginUnavailable } from '../problems';
import { SourceFailure } from '../sources/Source';
import { Duty } from '../platform/Duty';
import type { DutyStore } from '../platform/DutyStore';
import { causeOf, nameOf } from '../platform/errors';
import type { DueShares, OriginSchedule } from './OriginSchedule';
import type { OriginVerifier } from './OriginVerifier';

/** Stores to find out which shares are needed, and to record results of checks. */
export interface OriginStores {
  duties: DutyStore;
  grants: Pick<GrantStore, 'hasOpen'>;
  shares: Pick<ShareStore, 'setChecked'>;
  /** Copies of resources: a share with an open copy is checked. */
  dataCopies: { hasOpen: (resource: ResourceUri) => Promise<boolean> };
}

/** Dependencies of an {@link OriginRound}. */
export interface OriginRoundOptions {
  records: OriginStores;
  verifier: Pick<OriginVerifier, 'check'>;
  schedule: OriginSchedule;
  /** Id of this process among all that share the records. */
  holder: string;
  logger: Logger;
  now: Clock;
}

/** Result of a check. */
export type CheckOutcome = 'valid' | 'invalid' | 'absent' | 'unavailable' | 'idle';

/** A check and its outcome. */
interface Checked {
  result: CheckedShare;
  outcome: CheckOutcome;
  isSourceAway?: boolean;
}

/**
 * Checks shares at their origins when they are due, if somebody may read them or has a copy: a change that only the
 * source or issuer knows of is noticed even if nobody reads the share.
 *
 * Only one process of all nodes runs it. An unavailable source does not delay others, and proves nothing.
 */
export class OriginRound {
  private readonly options: OriginRoundOptions;
  private readonly duty: Duty;

  public constructor(options: OriginRoundOptions) {
    this.options = options;
    const { holder, now, records: { duties }} = options;
    this.duty = new Duty({ name: 'origin-checks', holder, duties, now });
  }

  /** Checks some of the shares due now. Call it every few seconds. */
  public async run(): Promise<void> {
    const { schedule } = this.options;
    await Promise.all(schedule.dataTypes.map(async(dataType): Promise<void> =>
      this.runType(await schedule.listDue(dataType))));
  }

  private async runType({ atOnce, dataType, shares }: DueShares): Promise<void> {
    if (shares.length === 0 || !await this.duty.take()) {
      return;
    }
    const waiting = [ ...shares ];
    const checked: CheckedShare[] = [];
    const works = Array.from({ length: atOnce }, async(): Promise<void> => {
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

  private async check(share: Share): Promise<Checked> {
    const { logger, now, schedule, verifier } = this.options;
    const { digest, id } = share;
    const at = now();
    const checkAt = schedule.next(share, at);
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
        logger.error(`A share could not be checked at its origin: ${nameOf(error)}`);
      }
      const isSourceAway = causeOf(error) instanceof SourceFailure;
      return { result: { id, digest, checkAt: schedule.retry(share, at) }, outcome: 'unavailable', isSourceAway };
    }
  }

  private notePause(dataType: string, outcome: CheckOutcome, isSourceAway: boolean): void {
    if (isSourceAway) {
      this.options.schedule.pause(dataType);
    } else if (outcome === 'valid' || outcome === 'invalid') {
      this.options.schedule.resume(dataType);
    }
  }

  /** Returns true when the share has an active grant or an open copy. */
  private async isNeeded({ resource }: Share): Promise<boolean> {
    const { now, records: { dataCopies, grants }} = this.options;
    return await grants.hasOpen([ resource, ...containersOf(resource) ], now()) || await dataCopies.hasOpen(resource);
  }
}
