import { isOwnUuid } from '../platform/uuid';
import { parseWebId } from '../platform/webId';
import type { WebIdWithPod } from './PodHost';

/**
 * Returns the URL of the pod that this service makes for a citizen.
 *
 * @param id - Id of the citizen, which names the pod.
 * @param baseUrl - Base URL of this server, with a trailing slash.
 */
export function podUrlMadeHere(id: string, baseUrl: string): string {
  return `${baseUrl}${id}/`;
}

/** Returns the pod and WebID that this service makes for a citizen. Parameters as of {@link podUrlMadeHere}. */
export function podMadeHere(id: string, baseUrl: string): WebIdWithPod {
  const podUrl = podUrlMadeHere(id, baseUrl);
  return { podUrl, webId: parseWebId(`${podUrl}profile/card#me`) };
}

/**
 * Returns the id of the citizen for whom the pod of a resource may have been made.
 *
 * @param url - URL of any resource of this server.
 * @param baseUrl - Base URL of this server, with a trailing slash.
 *
 * @returns `undefined` for a resource of another pod, or of none.
 */
export function citizenIdIn(url: string, baseUrl: string): string | undefined {
  const [ id ] = url.startsWith(baseUrl) ? url.slice(baseUrl.length).split('/') : [ '' ];
  return isOwnUuid(id) ? id : undefined;
}
