import type { NewEvent } from '../events/Event';
import type { ResourceUri } from '../pods/resourceUri';
import { containersOf } from '../pods/resourceUri';
import type { WebId } from '../platform/webId';
import { covers, isInForce } from './AccessGrant';
import type { GrantStore } from './GrantStore';

/**
 * Returns the events of changed or removed shared data, for those who may read it at that moment. Grants by others than
 * its owner produce none.
 *
 * @param type - Kind of change.
 * @param grants - Finds the grants on it.
 * @param resource - The shared data.
 * @param owner - WebID of the citizen that it belongs to; without one, nobody may read it.
 * @param at - Time of the change.
 */
export async function resourceEvents(
  type: 'ResourceUpdated' | 'ResourceRemoved',
  grants: Pick<GrantStore, 'listOpen'>,
  resource: ResourceUri,
  owner: WebId | undefined,
  at: Date,
): Promise<NewEvent[]> {
  const found = owner === undefined ? [] : await grants.listOpen([ resource, ...containersOf(resource) ], owner, at);
  const readers = new Set(found
    .filter((grant): boolean => isInForce(grant, at) && covers(grant, resource, 'Read'))
    .flatMap(({ recipient }): WebId[] => recipient === '' ? [] : [ recipient ]));
  return [ ...readers ].map((dataUser): NewEvent => ({ dataUser, type, at, data: { resource }}));
}
