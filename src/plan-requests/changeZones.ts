import type { PlanRecords, PlanStores } from './PlanStores';

/**
 * Changes zones, or those who have them, in one transaction, and after every other such change on any node: what the
 * work reads is still true when it writes.
 */
export async function changeZones<T>(records: PlanRecords, work: (stores: PlanStores) => Promise<T>): Promise<T> {
  return records.transaction(async(stores): Promise<T> => {
    await stores.zoneVersions.lock();
    return work(stores);
  });
}
