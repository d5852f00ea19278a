import { canonicalSegment } from '../platform/targets';
import { AccessGrantInvalid } from '../problems';
import { findUrl } from '../platform/plainUrl';

const uuid = /^[\da-f]{8}-[\da-f]{4}-[\da-f]{4}-[\da-f]{4}-[\da-f]{12}$/u;

/** Checks whether this is an id as this service makes them: a UUID in lower case. */
export function isUuid(text: string): boolean {
  return uuid.test(text);
}

/**
 * The URI of an access grant: the id of its credential.
 *
 * @param issuer - Issuer URL of access grants, with a trailing slash.
 */
export function grantUri(issuer: string, id: string): string {
  return `${issuer}vc/${id}`;
}

/**
 * The id in the URI of an access grant.
 * `undefined`: well-formed, but not the URI of one that was issued here.
 *
 * @throws AccessGrantInvalid when this is no absolute URI.
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

/** The same for any text. Two spellings of one URL name the same grant. */
export function findGrantId(text: string, issuer: string): string | undefined {
  return idBehind(text, issuer) ?? idBehind(canonicalUri(text) ?? '', issuer);
}

function idBehind(uri: string, issuer: string): string | undefined {
  const prefix = grantUri(issuer, '');
  const id = uri.slice(prefix.length);
  return uri.startsWith(prefix) && isUuid(id) ? id : undefined;
}

/** The URI in its one spelling; `undefined` when there is none, as with dot segments, credentials or a query. */
function canonicalUri(text: string): string | undefined {
  const [ , origin, path ] = /^(https?:\/\/[^\s/?#@\\]+)(\/[^\s?#\\]+)$/iu.exec(text) ?? [];
  const url = path === undefined ? undefined : findUrl(origin);
  if (!url) {
    return;
  }
  try {
    return url.origin + path.split('/').map(canonicalSegment).join('/');
  } catch {
    // Not one path: see PathRefused.
  }
}
