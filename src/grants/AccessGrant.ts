import type { StatusEntry } from '../credentials/StatusListStore';
import { isAuxiliaryName } from '../platform/resourceNames';
import { findUrl } from '../platform/plainUrl';
import { canonicalSegments } from '../platform/targets';
import { isOwnUuid } from '../platform/uuid';
import { containersOf } from '../pods/resourceUri';
import type { ResourceUri } from '../pods/resourceUri';
import { AccessGrantInvalid } from '../problems';
import type { WebId } from '../platform/webId';

/** Kind of an access credential: a request for access, a grant or a denial. */
export type GrantKind = 'request' | 'grant' | 'denial';

/** A mode of access, as its IRI in the `acl` namespace. */
export type AccessMode = 'Read' | 'Write' | 'Append';

/**
 * An access request, grant or denial that this service issued, with the members that decide access besides the
 * credential itself.
 */
export interface AccessGrant {
  /** UUID; the credential's id is `{base}/.access/vc/{id}`. */
  id: string;
  uri: string;
  kind: GrantKind;
  /** `credentialSubject.id`: the resource owner who gave it (for a request: the requestor). */
  subject: WebId;
  /**
   * `isProvidedTo`: the grantee (for a request: `isConsentForDataSubject`). Empty for a request template that is
   * addressed to everybody who has its URI.
   */
  recipient: WebId | '';
  modes: AccessMode[];
  /** `forPersonalData`: resource URIs, canonical for resources of this server. Empty in a request template. */
  resources: string[];
  /** `forPurpose`: purpose IRIs. */
  purposes: string[];
  /** True when containers among the resources cover their contents. */
  inherit: boolean;
  /** The contract under which it was issued, with the digest of its text; absent for a client's grant. */
  contract?: { id: string; digest: string };
  /** URI of the access request that it answers. */
  request?: string;
  status: StatusEntry;
  issuedAt: Date;
  /** Time and token issuer of a client's statement. Absent when this service issued it by itself, at `issuedAt`. */
  made?: { at: Date; tokenIssuer: string };
  /** Absent when it does not expire. */
  expiresAt?: Date;
  revokedAt?: Date;
  /** Time at which it became invalid without being revoked by its subject, because a party was erased. */
  invalidAt?: Date;
  /** Time from which it has no effect because its recipient or contract is suspended; its status does not change. */
  suspendedAt?: Date;
  /** The signed credential, byte for byte as it was issued. */
  document: string;
}

/** An access grant without its credential. */
export type GrantTerms = Omit<AccessGrant, 'document'>;

/**
 * Returns the URI of an access grant: the id of its credential.
 *
 * @param issuer - Issuer URL of access grants, with a trailing slash.
 */
export function grantUri(issuer: string, id: string): string {
  return `${issuer}vc/${id}`;
}

/**
 * Returns the id in the URI of an access grant; `undefined` when it is not the URI of a grant issued here.
 *
 * @throws AccessGrantInvalid when this is not an absolute URI.
 */
export function grantIdOf(uri: string, issuer: string): string | undefined {
  const id = idBehind(uri, issuer);
  if (id !== undefined) {
    return id;
  }
  if (uri.length > 2048 || !/^[a-z][a-z\d+.-]*:\S+$/iu.test(uri) || !URL.canParse(uri)) {
    throw new AccessGrantInvalid('An access grant must be named by its absolute URI.');
  }
  return idBehind(canonicalUri(uri) ?? '', issuer);
}

/** Like {@link grantIdOf}, for any text. Two spellings of one URL name the same grant. */
export function findGrantId(text: string, issuer: string): string | undefined {
  return idBehind(text, issuer) ?? idBehind(canonicalUri(text) ?? '', issuer);
}

function idBehind(uri: string, issuer: string): string | undefined {
  const prefix = grantUri(issuer, '');
  const id = uri.slice(prefix.length);
  return uri.startsWith(prefix) && isOwnUuid(id) ? id : undefined;
}

/** The URI in canonical form; `undefined` when it has none, as with dot segments, credentials or a query. */
function canonicalUri(text: string): string | undefined {
  const [ , origin, path ] = /^(https?:\/\/[^\s/?#@\\]+)(\/[^\s?#\\]+)$/iu.exec(text) ?? [];
  const url = path === undefined ? undefined : findUrl(origin);
  if (!url) {
    return;
  }
  try {
    return url.origin + canonicalSegments(path);
  } catch {
    // Not a single path: see PathRefused.
  }
}

/** Checks whether a WebID is a party to a request, grant or denial; only its parties may learn of it. */
export function isParty({ subject, recipient }: Pick<AccessGrant, 'subject' | 'recipient'>, webId: WebId): boolean {
  return webId === subject || webId === recipient;
}

/** Status of an access grant, computed on reading. */
export type GrantStatus = 'ACTIVE' | 'REVOKED' | 'EXPIRED' | 'INVALID';

/** The end of a grant, and when it came. */
export interface GrantEnd {
  status: Exclude<GrantStatus, 'ACTIVE'>;
  at: Date;
}

/** Returns the status of a grant at a moment: see {@link findEnd}. */
export function grantStatus(grant: Pick<AccessGrant, 'revokedAt' | 'invalidAt' | 'expiresAt'>, now: Date): GrantStatus {
  return findEnd(grant, now)?.status ?? 'ACTIVE';
}

/**
 * Returns the end of a grant, if it has ended at a moment. The earliest of revocation, expiry and invalidity decides;
 * in that order if they coincide.
 */
export function findEnd(
  grant: Pick<AccessGrant, 'revokedAt' | 'invalidAt' | 'expiresAt'>,
  now: Date,
): GrantEnd | undefined {
  const ends: [GrantEnd['status'], Date | undefined][] = [
    [ 'REVOKED', grant.revokedAt ],
    [ 'EXPIRED', grant.expiresAt ],
    [ 'INVALID', grant.invalidAt ],
  ];
  let first: GrantEnd | undefined;
  for (const [ status, at ] of ends) {
    if (at && at <= now && (!first || at < first.at)) {
      first = { status, at };
    }
  }
  return first;
}

/** Checks whether this is a grant, not a request or denial, that has begun, has not ended, and is not suspended. */
export function isInForce(
  grant: Pick<AccessGrant, 'kind' | 'issuedAt' | 'expiresAt' | 'revokedAt' | 'invalidAt' | 'suspendedAt'>,
  now: Date,
): boolean {
  return grant.kind === 'grant' && grant.issuedAt <= now &&
    !grant.revokedAt && !grant.invalidAt && !grant.suspendedAt &&
    grantStatus(grant, now) === 'ACTIVE';
}

/** All modes, in the order in which responses list them. */
export const accessModes: readonly AccessMode[] = [ 'Read', 'Write', 'Append' ];

/**
 * Checks whether a granted mode includes the required one.
 *
 * @see [Web Access Control, 4.2 Access Modes](https://solidproject.org/TR/wac#access-modes)
 */
export function coversMode(given: AccessMode, needed: AccessMode): boolean {
  return given === needed || (given === 'Write' && needed === 'Append');
}

/**
 * Checks whether a grant on one resource covers another: the resource itself, or a resource inside it if it is a
 * container.
 *
 * Both URIs must be canonical if they are of this server.
 *
 * @param inherit - True when containers cover their contents.
 */
export function coversResource(granted: string, inherit: boolean, resource: string): boolean {
  return granted === resource || (inherit && granted.endsWith('/') && containersOf(resource).includes(granted));
}

/** Checks whether one of the grant's modes and one of its resources cover what is required. */
export function covers(
  grant: Pick<AccessGrant, 'modes' | 'resources' | 'inherit'>,
  resource: ResourceUri,
  mode: AccessMode,
): boolean {
  return grant.modes.some((given): boolean => coversMode(given, mode)) &&
    grant.resources.some((granted): boolean => coversResource(granted, grant.inherit, resource));
}

/**
 * Checks whether a resource is excluded from all grants: access control documents and descriptions. Their names are
 * compared without case, because some file systems do not distinguish it.
 */
export function isProtected(resource: ResourceUri): boolean {
  return resource.split('/').slice(3).some(isAuxiliaryName);
}

/**
 * Checks whether no grant may give Write or Append on a resource: protected resources, and WebID documents of this
 * server with their containers. Whoever writes the document decides who counts as its owner, and adding to the
 * container can restore a removed document.
 *
 * @param webId - A WebID whose document is protected, wherever it is.
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
