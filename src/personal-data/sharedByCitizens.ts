import type { SubscriptionStore } from '../events/SubscriptionStore';
import { accessEvents } from '../grants/accessEvents';
import { resourceEvents } from '../grants/resourceEvents';
import type { Citizen } from '../identity/CitizenStore';
import type { SharedByCitizens } from '../identity/SharedByCitizens';
import { sharesContainer } from '../identity/sharesContainer';
import type { SharingStores } from './SharingStores';

interface EndingStores extends Pick<SharingStores, 'dataCopies' | 'events' | 'grants' | 'shares' | 'statusLists'> {
  subscriptions: Pick<SubscriptionStore, 'removeAllOf'>;
}

/** Number of shares read at a time. */
const pageSize = 200;

/** Ends what a citizen shared, gave rights to or subscribed to, in the transaction that removes the citizen. */
export const sharedByCitizens: SharedByCitizens<EndingStores> = { endRights, endShares, forgetShares, listResources };

/** Ends shares before grants, because the grants say whom to notify. */
async function endRights(stores: EndingStores, citizen: Citizen, at: Date): Promise<void> {
  await endShares(stores, citizen, at);
  const { brought, podUrl, webId } = citizen;
  const ended = brought ?
      await stores.grants.endGivenIn(webId, brought === 'POD' ? sharesContainer(citizen) : podUrl, at) :
      await stores.grants.endAllOf(webId, at);
  for (const grant of ended) {
    await stores.statusLists.revoke(grant.status, at);
    await stores.events.raise(accessEvents('AccessRevoked', grant, at));
  }
  await stores.dataCopies.checkSoon({ grants: ended.map(({ id }): string => id) }, at);
}

async function endShares(
  { dataCopies, events, grants, shares, statusLists, subscriptions }: EndingStores,
  { brought, id, webId }: Citizen,
  at: Date,
): Promise<void> {
  const { resources, statuses } = await shares.setAllAbsent(id, at);
  for (const resource of resources) {
    await events.raise(await resourceEvents('ResourceRemoved', grants, resource, webId, at));
    await dataCopies.checkSoon({ resource }, at);
  }
  for (const status of statuses) {
    await statusLists.revoke(status, at);
  }
  if (!brought) {
    // Nobody else could end them.
    await subscriptions.removeAllOf(webId);
  }
}

async function forgetShares({ shares }: EndingStores, { id }: Citizen): Promise<void> {
  await shares.forgetRecords(id);
}

async function listResources({ shares }: EndingStores, { id }: Citizen): Promise<string[]> {
  const resources = (await shares.listIntentsOf(id)).map(({ resource }): string => resource);
  let cursor: string | undefined;
  do {
    const page = await shares.list(id, { limit: pageSize, cursor });
    resources.push(...page.shares.map(({ resource }): string => resource));
    cursor = page.next;
  } while (cursor !== undefined);
  return resources;
}
