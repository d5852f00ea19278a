import { resourceEvents } from '../grants/resourceEvents';
import type { Transactions } from '../platform/Records';
import type { ResourceUri } from '../pods/resourceUri';
import type { ShareStates } from './SharingStores';

/**
 * Records that shared data is missing, or back, and notifies those who may read it. Does nothing when that is already
 * recorded.
 *
 * @param records - Stores for the mark and the notifications.
 * @param resource - The shared data.
 * @param isThere - False when the resource is gone.
 * @param now - Current time.
 */
export async function noteAbsence(
  records: Transactions<ShareStates>,
  resource: ResourceUri,
  isThere: boolean,
  now: Date,
): Promise<void> {
  await records.transaction(async({ citizens, dataCopies, events, grants, shares }): Promise<void> => {
    const share = await shares.findByResource(resource);
    if (await shares.setAbsent(resource, isThere ? undefined : now)) {
      const type = isThere ? 'ResourceUpdated' : 'ResourceRemoved';
      if (share?.absentAt && isThere) {
        await dataCopies.setAbsent(resource, share.absentAt, 'deleted');
      }
      const owner = share && await citizens.findById(share.citizenId);
      await events.raise(await resourceEvents(type, grants, resource, owner?.webId, now));
      await dataCopies.checkSoon({ resource }, now);
    }
  });
}
