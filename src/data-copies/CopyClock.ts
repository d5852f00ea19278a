import type { NewEvent } from '../events/Event';
import type { Outbox } from '../events/EventStore';
import type { GrantStore } from '../grants/GrantStore';
import { originInvalidSince } from '../personal-data/invalidity';
import type { ShareStore } from '../personal-data/ShareStore';
import type { Clock } from '../platform/clock';
import { firstPassed } from '../platform/clock';
import type { Records } from '../platform/Records';
import { copyStatus, invalidSince } from './copyStatus';
import type { CopyToCheck, DataCopyStore } from './DataCopyStore';

/** Stores for deciding whether copies are due. */
export interface CopyClockStores {
  dataCopies: Pick<DataCopyStore, 'listToCheck' | 'setNextCheck'>;
  events: Outbox;
  grants: Pick<GrantStore, 'findTerms' | 'settle'>;
  shares: Pick<ShareStore, 'findByResource'>;
}

/** Dependencies of a {@link CopyClock}. */
export interface CopyClockOptions {
  records: Records<CopyClockStores>;
  /** Milliseconds from when a copy is due until it is overdue. */
  graceMs: number;
  now: Clock;
}

/** Maximum number of grants or copies in one transaction. */
const atOnce = 100;

/**
 * Raises events that depend on time alone: grants have ended, and copies are due or overdue. Every node may run it:
 * processes do not repeat each other's work. Reads only copies that are due.
 */
export class CopyClock {
  public constructor(private readonly options: CopyClockOptions) {}

  /** Raises the events due by now. Call it every second. */
  public async run(): Promise<void> {
    const { now, records } = this.options;
    while (await records.grants.settle(now(), atOnce) === atOnce) {
      // More grants may have ended.
    }
    while ((await records.dataCopies.listToCheck(now(), 1)).length > 0) {
      if (await records.transaction(async(stores): Promise<number> => this.checkSome(stores)) === 0) {
        // Another node is doing this.
        return;
      }
    }
  }

  private async checkSome(stores: CopyClockStores): Promise<number> {
    const copies = await stores.dataCopies.listToCheck(this.options.now(), atOnce);
    for (const copy of copies) {
      await this.check(stores, copy);
    }
    return copies.length;
  }

  /** Checks a copy by the records alone, without reading pods. */
  private async check({ dataCopies, events, grants, shares }: CopyClockStores, copy: CopyToCheck): Promise<void> {
    const { graceMs } = this.options;
    const now = this.options.now();
    const grant = await grants.findTerms(copy.grantId) ?? { invalidAt: copy.reportedAt };
    const share = await shares.findByResource(copy.resource);
    const invalidAt = share && earliest([ invalidSince(copy, share), originInvalidSince(share, now) ]);
    const { deletionDueSince } = copyStatus(copy, { grant, absentAt: share?.absentAt, invalidAt }, now);
    if (!deletionDueSince) {
      const expiredFrom = share?.expiresAt && firstPassed(share.expiresAt);
      const ends = [ 'expiresAt' in grant ? grant.expiresAt : undefined, expiredFrom ];
      const checkAt = earliest(ends.filter((end): boolean => end !== undefined && end > now));
      await dataCopies.setNextCheck(copy.id, { checkAt });
      return;
    }
    const dueAt = copy.dueAt ?? now;
    const overdueAt = new Date(dueAt.getTime() + graceMs);
    const isOverdue = overdueAt <= now;
    await events.raise([
      ...copy.dueAt ? [] : [ copyEvent('DataCopyDue', copy, deletionDueSince) ],
      ...isOverdue ? [ copyEvent('DataCopyOverdue', copy, overdueAt) ] : [],
    ]);
    await dataCopies.setNextCheck(copy.id, { dueAt, ...!isOverdue && { checkAt: overdueAt }});
  }
}

function earliest(dates: readonly (Date | undefined)[]): Date | undefined {
  return dates.filter((date): date is Date => date !== undefined)
    .sort((one, other): number => one.getTime() - other.getTime())[0];
}

function copyEvent(type: 'DataCopyDue' | 'DataCopyOverdue', copy: CopyToCheck, at: Date): NewEvent {
  const { accessGrant, dataUser, purpose, resource } = copy;
  return { dataUser, type, at, data: { resource, purpose, accessGrant }};
}
