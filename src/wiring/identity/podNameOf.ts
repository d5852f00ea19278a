import type { ResourceIdentifier } from '@solid/community-server';
import { isOwnUuid } from '../../platform/uuid';

/**
 * Returns the name of the pod of a resource, if the pod may have been made for a citizen.
 *
 * @param resource - Any resource of the server.
 * @param resource.path - Its URL.
 * @param baseUrl - Base URL of this server, with a trailing slash.
 */
export function podNameOf({ path }: ResourceIdentifier, baseUrl: string): string | undefined {
  const [ name ] = path.startsWith(baseUrl) ? path.slice(baseUrl.length).split('/') : [ '' ];
  return isOwnUuid(name) ? name : undefined;
}
