import type { Citizen } from '../identity/CitizenStore';
import { findPodUrl } from '../pods/resourceUri';
import { AccessForbidden } from '../problems';
import type { WebId } from '../platform/webId';
import { isWebId } from '../platform/webId';
import type { ReadingStores } from './ReadingStores';

/** Dependencies of {@link getPod}. */
export interface PodSources {
  /** Base URL of this server: an origin with a trailing slash. */
  baseUrl: string;
  records: Pick<ReadingStores, 'citizens' | 'podOwners'>;
}

/** A pod of this server, for a caller. */
export interface PodOfCaller {
  /** With a trailing slash. */
  url: string;
  /** WebIDs. */
  owners: WebId[];
  isOwner: boolean;
  /** Set when the pod belongs to a citizen. */
  citizen?: Citizen;
}

/**
 * Returns the pod that `/v1/pods/{podId}` names, of a citizen or of an ordinary account.
 *
 * @throws AccessForbidden when there is none, or its citizen is being created or erased.
 */
export async function getPod(
  { baseUrl, records: { citizens, podOwners }}: PodSources,
  podId: string,
  caller: WebId,
): Promise<PodOfCaller> {
  const url = findPodUrl(podId, baseUrl);
  const recorded = url === undefined ? [] : await podOwners.ownersOfAny([ url ]);
  if (url === undefined || recorded.length === 0 || await citizens.isClosed(url)) {
    throw new AccessForbidden();
  }
  const owners = recorded.filter(isWebId);
  const found = await Promise.all(owners.map(async(webId): Promise<Citizen | undefined> =>
    citizens.findByWebId(webId)));
  const citizen = found.find((each): boolean => each?.podUrl === url);
  if (citizen && citizen.state !== 'ACTIVE') {
    throw new AccessForbidden();
  }
  return { url, owners, isOwner: owners.includes(caller), ...citizen && { citizen }};
}
