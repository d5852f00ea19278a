import type { ResourceIdentifier } from '@solid/community-server';
import { isOwnUuid } from '../../platform/uuid';

/**
 * The name of the pod that a resource is in, when it may have been made for a citizen.
 *
 * @param resource - Anywhere on the server.
 * @param resource.path - Its URL.
 * @param baseUrl - Of the server, with a trailing slash.
 */
export function podNameOf({ path }: ResourceIdentifier, baseUrl: string): string | undefined {
  const [ name ] = path.startsWith(baseUrl) ? path.slice(baseUrl.length).split('/') : [ '' ];
  return isOwnUuid(name) ? name : undefined;
}
