import { resourceEvents } from '../grants/resourceEvents';
import type { Transactions } from '../platform/Records';
import type { Invalidity } from './invalidity';
import type { Share } from './ShareStore';
import type { ShareStates } from './SharingStores';

/**
 * Records permanently that the credential of a share is not valid. Sets its bit in the status list, if this server
 * issued it. The first finding is kept. Does nothing when the value was shared again meanwhile, because the share then
 * has another credential.
 *
 * @param records - Stores for the mark and its audit row.
 * @param share - The share that was checked.
 * @param invalidity - The finding.
 * @param now - Current time.
 *
 * @returns The updated row.
 */
export async function markInvalid(
  records: Transactions<ShareStates>,
  share: Share,
  invalidity: Invalidity,
  now: Date,
): Promise<Share> {
  const { at, reason } = invalidity;
  return records.transaction(async(stores): Promise<Share> => {
    const { audit, citizens, dataCopies, events, grants, shares, statusLists } = stores;
    if (await shares.setInvalid(share, at, reason)) {
      if (share.status) {
        await statusLists.revoke(share.status, now);
      }
      const owner = await citizens.findById(share.citizenId);
      await events.raise(await resourceEvents('ResourceUpdated', grants, share.resource, owner?.webId, now));
      await dataCopies.checkSoon({ resource: share.resource }, now);
      await audit.append({
        type: 'credential.invalid',
        at: now,
        facts: { contract: share.contractId, dataType: share.dataType, reason },
        personal: { resource: share.resource },
        citizenId: share.citizenId,
      });
    }
    return await shares.findByResource(share.resource) ?? share;
  });
}
