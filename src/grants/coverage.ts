import { isAuxiliaryName } from '../platform/resourceNames';
import { containersOf } from '../pods/resourceUri';
import type { ResourceUri } from '../pods/resourceUri';
import { findUrl } from '../platform/plainUrl';
import type { AccessGrant, AccessMode } from './AccessGrant';
import { grantStatus } from './AccessGrant';

/** Every mode, the order in which modes are answered. */
export const accessModes: readonly AccessMode[] = [ 'Read', 'Write', 'Append' ];

/**
 * Checks whether a mode that was given includes the one that is needed.
 *
 * @see [Web Access Control, 4.2 Access Modes](https://solidproject.org/TR/wac#access-modes)
 */
export function coversMode(given: AccessMode, needed: AccessMode): boolean {
  return given === needed || (given === 'Write' && needed === 'Append');
}

/**
 * Checks whether a grant on one resource covers another: the resource itself, or what is in it when it is a container.
 *
 * Both are canonical when they are of this server.
 *
 * @param inherit - Whether containers cover what they contain.
 */
export function coversResource(granted: string, inherit: boolean, resource: string): boolean {
  return granted === resource || (inherit && granted.endsWith('/') && containersOf(resource).includes(granted));
}

/** Checks whether one of the grant's modes and one of its resources include what is needed. */
export function covers(
  grant: Pick<AccessGrant, 'modes' | 'resources' | 'inherit'>,
  resource: ResourceUri,
  mode: AccessMode,
): boolean {
  return grant.modes.some((given): boolean => coversMode(given, mode)) &&
    grant.resources.some((granted): boolean => coversResource(granted, grant.inherit, resource));
}

/** Checks whether it is a grant (no request or denial), has begun, has not ended, and is not suspended. */
export function isInForce(
  grant: Pick<AccessGrant, 'kind' | 'issuedAt' | 'expiresAt' | 'revokedAt' | 'invalidAt' | 'suspendedAt'>,
  now: Date,
): boolean {
  return grant.kind === 'grant' && grant.issuedAt <= now &&
    !grant.revokedAt && !grant.invalidAt && !grant.suspendedAt &&
    grantStatus(grant, now) === 'ACTIVE';
}

/**
 * Checks whether a resource is out of reach of every grant: access control documents and descriptions. Their names
 * count in any case of letters, because some file systems do not distinguish cases.
 */
export function isProtected(resource: ResourceUri): boolean {
  return resource.split('/').slice(3).some(isAuxiliaryName);
}

/**
 * Checks whether no grant may give Write or Append on a resource: besides the protected ones, the document of a WebID
 * of this server, and its container. Writing the document decides who is believed to be its owner, and adding to the
 * container can put a removed document back.
 *
 * @param webId - A WebID whose document is protected, wherever it stands.
 */
export function isWriteProtected(resource: ResourceUri, webId: string): boolean {
  const [ document ] = webId.split('#');
  return isProtected(resource) || /^[^/]+\/\/[^/]+(?:\/.*)?\/profile\/(?:card\/?)?$/iu.test(resource) ||
    resource === document || containerOf(document) === resource;
}

function containerOf(document: string): string | undefined {
  const url = findUrl(document);
  return url && containersOf(url.origin + url.pathname)[0];
}
