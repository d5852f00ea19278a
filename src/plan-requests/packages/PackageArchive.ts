import type { Clock } from '../../platform/clock';
import type { Notices } from '../notices/Notices';
import type { PlanRecords } from '../PlanStores';
import type { PackageFiles } from './PackageFiles';
import { oldestTest } from './Packages';

/** Dependencies of a {@link PackageArchive}. */
export interface PackageArchiveOptions {
  records: PlanRecords;
  notices: Pick<Notices, 'leave'>;
  files: Pick<PackageFiles, 'sweep'>;
  now: Clock;
}

/** Removes data at the end of its retention period. */
export class PackageArchive {
  public constructor(private readonly options: PackageArchiveOptions) {}

  /** Removes tests that can no longer be read, archived requests with their packages, and files that nobody needs. */
  public async removeOld(): Promise<void> {
    const { files, notices, now, records } = this.options;
    await records.packages.removeTestsBefore(oldestTest(now()));
    let removed = 1;
    while (removed > 0) {
      removed = await records.transaction(async(stores): Promise<number> => {
        const archived = await stores.mapRequests.removeArchived(now());
        for (const { sentTo, ...request } of archived) {
          await notices.leave(stores, 'Archived', request, sentTo);
        }
        if (archived.length > 0) {
          await stores.audit.append({ type: 'plan.request.archived', at: now(), facts: { requests: archived.length }});
        }
        return archived.length;
      });
    }
    await files.sweep(now(), async(ids): Promise<Set<string>> => records.packages.listNeeded(ids));
  }
}
