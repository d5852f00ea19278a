import { cleanName } from '../../platform/cleanName';
import { isLoopback } from '../../platform/loopback';

/** Members of a client's registration that are used here. */
export interface ClientMetadata {
  client_name?: string;
  redirect_uris?: string[];
  post_logout_redirect_uris?: string[];
  client_uri?: string;
  logo_uri?: string;
  policy_uri?: string;
  tos_uri?: string;
  jwks_uri?: string;
  sector_identifier_uri?: string;
  initiate_login_uri?: string;
  request_uris?: string[];
}

/** Decides by the URL alone what is on the public internet. */
export interface OutsideUrls {
  /** Returns true when others may see its host: one outside private networks. */
  isOutside: (url: URL) => boolean;
  /** Returns true when the server fetches it. */
  isFetched: (url: URL) => boolean;
}

const maxAddressLength = 200;
const maxUriLength = 2048;
/** Maximum characters of the metadata of a client, as JSON. */
const maxCharacters = 16 * 1024;
/** Maximum depth of the metadata of a client: several times that of keys, the deepest. */
const maxDepth = 20;
const informative = [ 'client_uri', 'logo_uri', 'policy_uri', 'tos_uri', 'initiate_login_uri' ] as const;
/** Members whose documents the server fetches. */
const fetched = [ 'jwks_uri', 'sector_identifier_uri', 'request_uris' ] as const;
const redirectUriMembers = [ 'redirect_uris', 'post_logout_redirect_uris' ] as const;

/**
 * Checks the metadata of a client.
 *
 * @param client - Its metadata.
 * @param urls - Decides which URLs are on the public internet.
 * @param sent - All members of its registration, if it is one: the library hashes them in quadratic time, and
 * exceeds the stack when they are nested deeply.
 *
 * @returns The mistake, starting with the member's name; `undefined` when there is none.
 *
 * @see [RFC 7591, section 3.2.2](https://www.rfc-editor.org/rfc/rfc7591#section-3.2.2)
 */
export function findFault(client: ClientMetadata, urls: OutsideUrls, sent: object = {}): string | undefined {
  if ([ client, sent ].some((each): boolean => isDeeper(each, maxDepth))) {
    return `client metadata must be nested at most ${maxDepth} deep`;
  }
  if ([ client, sent ].some((each): boolean => JSON.stringify(each).length > maxCharacters)) {
    return `client metadata must be at most ${maxCharacters} characters of JSON`;
  }
  for (const name of redirectUriMembers) {
    if (client[name]?.some((uri): boolean => !isRedirectUri(uri) || leadsInside(uri, urls))) {
      return `${name} must be https URLs, http URLs of a loopback address, or of a scheme with a reverse domain ` +
        'name, without credentials and fragments, and of no private network';
    }
  }
  for (const name of informative) {
    const uri = client[name];
    if (uri !== undefined && !(isWebPage(uri) && urls.isOutside(new URL(uri)))) {
      return `${name} must be an http or https URL without credentials, of no private network`;
    }
  }
  for (const name of fetched) {
    const uris = [ client[name] ?? [] ].flat();
    if (!uris.every((uri): boolean => isWebPage(uri) && urls.isFetched(new URL(uri)))) {
      return `${name} must be an https URL of the public internet, without credentials`;
    }
  }
}

function isDeeper(value: unknown, depth: number): boolean {
  return typeof value === 'object' && value !== null &&
    (depth === 0 || Object.values(value).some((each): boolean => isDeeper(each, depth - 1)));
}

/** Loopback is the person's own machine, not the server. */
function leadsInside(uri: string, urls: OutsideUrls): boolean {
  const url = new URL(uri);
  return /^https?:$/u.test(url.protocol) && !isLoopback(url) && !urls.isOutside(url);
}

/**
 * Checks whether a browser may be redirected to a URI with an authorization code. `http` is for loopback only; schemes
 * of native apps have a form that no browser interprets itself.
 *
 * @see [RFC 8252, section 7](https://www.rfc-editor.org/rfc/rfc8252#section-7)
 */
export function isRedirectUri(uri: unknown): boolean {
  const url = readUri(uri);
  if (!url || url.href.includes('#') || String(uri).includes('#')) {
    return false;
  }
  switch (url.protocol) {
    case 'https:': return true;
    case 'http:': return isLoopback(url);
    default: return url.protocol.includes('.');
  }
}

function isWebPage(uri: string): boolean {
  return /^https?:$/u.test(readUri(uri)?.protocol ?? '');
}

/** Parses a short URI without user name, and without characters that a parser would drop. */
function readUri(uri: unknown): URL | undefined {
  if (typeof uri !== 'string' || uri.length > maxUriLength || /[\s\p{Cc}\\<>"]/u.test(uri) || !URL.canParse(uri)) {
    return;
  }
  const url = new URL(uri);
  return url.username === '' && url.password === '' ? url : undefined;
}

/** Description of an app for the person who decides about it. */
export interface AppDescription {
  /** Name that the app gives itself, unverified. */
  name?: string;
  /**
   * Host of the app's own document if it has one, otherwise of its redirect URI. Both are verified. With the path for
   * one in a pod of this server, which is not the server itself.
   */
  address: string;
  /** Where the person is redirected, if that is another place. */
  returnsTo?: string;
}

/**
 * Describes an app by its registration and the requested redirect URI.
 *
 * @param clientId - Client id of the app.
 * @param redirectUri - Requested redirect URI.
 * @param name - Name in the registration.
 * @param shared - Origin whose paths belong to different people.
 */
export function describeApp(
  clientId: string,
  redirectUri: string | undefined,
  name: unknown,
  shared?: string,
): AppDescription {
  const returnsTo = placeOf(redirectUri, shared);
  const document = /^https?:/iu.test(clientId) ? placeOf(clientId, shared) : undefined;
  const address = document ?? returnsTo ?? clientId.slice(0, maxAddressLength);
  return { name: cleanName(name), address, ...returnsTo !== undefined && returnsTo !== address && { returnsTo }};
}

/**
 * Returns the host and port of a web address, with its path on a shared origin; for other URIs the scheme, which
 * identifies an app on a device.
 */
function placeOf(uri: string | undefined, shared: string | undefined): string | undefined {
  const url = readUri(uri);
  if (url && url.origin === shared) {
    return `${url.host}${url.pathname}`.slice(0, maxAddressLength);
  }
  return url && (/^https?:$/u.test(url.protocol) ? url.host : url.protocol.slice(0, -1));
}

/**
 * Returns where a form that ends at one of these redirect URIs may lead, as source expressions of a Content Security
 * Policy.
 */
export function formTargets(waysBack: (string | undefined)[]): string[] {
  const own = waysBack.filter((uri): uri is string => isRedirectUri(uri)).map((uri): URL => new URL(uri));
  return [ '\'self\'', 'https:', ...own.filter(({ protocol }): boolean => protocol !== 'https:')
    .map(({ protocol, origin }): string => protocol === 'http:' ? origin : protocol) ];
}
