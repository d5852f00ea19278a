import type { Citizen } from '../identity/CitizenStore';
import { sharesContainer } from '../identity/sharesContainer';
import { canonicalSegments, checkNames, checkPathBounds, PathRefused } from '../platform/targets';
import { isOwnUuid } from '../platform/uuid';
import { OriginNotHere, ResourceUriInvalid } from '../problems';
import { ownNames } from '../vocabulary';

declare const canonicalForm: unique symbol;

/**
 * Canonical URI of a resource of this server: two URIs of the same resource are the same text. Only functions in this
 * file create it.
 */
export type ResourceUri = string & { readonly [canonicalForm]: 'ResourceUri' };

/** Top-level names of this server that are not pods. */
const reservedNames = new Set([ '.internal', ...ownNames ]);

// URL parsers remove control characters and spaces, and read backslashes as slashes, so URIs must not contain any.
// eslint-disable-next-line no-control-regex -- they are refused
const form = /^(https?):\/\/([^/\u0000-\u001F\u0020\u007F\\]+)(\/[^\u0000-\u001F\u0020\u007F\\]*)?$/iu;

function invalid(detail: string): never {
  throw new ResourceUriInvalid(detail);
}

/** A canonical path: segments of unreserved characters, none empty or only dots. */
const plainPath = /^(?:\/(?!\.\.?(?:\/|$))[\w.~-]+)+\/?$/u;

function canonicalPath(path: string): string {
  if (plainPath.test(path)) {
    return path;
  }
  if (path.includes('//')) {
    invalid('The path has an empty segment.');
  }
  return canonicalSegments(path);
}

/** Returns the canonical form of a path, within the bounds on request paths. */
function readPath(path: string): string {
  try {
    checkPathBounds(path);
    const canonical = canonicalPath(path);
    checkPathBounds(canonical);
    checkNames(canonical);
    return canonical;
  } catch (error: unknown) {
    throw error instanceof PathRefused ? new ResourceUriInvalid(error.message) : error;
  }
}

/**
 * Parses the URI of a pod resource. Different spellings of a resource give the same text, which every later reader
 * understands in the same way.
 *
 * @param text - URI as a caller sent it.
 * @param baseUrl - Base URL of this server: an origin.
 *
 * @throws ResourceUriInvalid when it is not an absolute http(s) URI, or has credentials, a query, a fragment, dot or
 *   empty segments, encoded slashes, or control characters, exceeds the bounds on paths, or is below a reserved name of
 *   this server.
 * @throws OriginNotHere when it is a resource of another server, which is never contacted.
 */
export function parseResourceUri(text: string, baseUrl: string): ResourceUri {
  if (/[?#]/u.test(text)) {
    invalid('A resource URI has no query and no fragment.');
  }
  const match = form.exec(text) ?? invalid('A resource URI is an absolute http or https URI.');
  const [ , scheme, authority, path = '/' ] = match;
  if (authority.includes('@')) {
    invalid('A resource URI has no credentials.');
  }
  const canonical = readPath(path);
  const origin = `${scheme}://${authority}`;
  if (origin !== originOf(baseUrl)) {
    requireSameOrigin(origin, baseUrl);
  }
  if (reservedNames.has(decodeURIComponent(canonical.split('/')[1]).toLowerCase())) {
    invalid('This is not the URI of a resource.');
  }
  return canonicalUri(originOf(baseUrl) + canonical);
}

/** Marks a text as canonical, as its callers have ensured. */
function canonicalUri(text: string): ResourceUri {
  return text as ResourceUri;
}

function requireSameOrigin(origin: string, baseUrl: string): void {
  if (!URL.canParse(origin)) {
    invalid('The host in the resource URI is malformed.');
  }
  if (new URL(origin).origin !== originOf(baseUrl)) {
    throw new OriginNotHere();
  }
}

let known = { baseUrl: '', origin: '' };

/** Returns the origin of the base URL, cached because nearly every call has the same one. */
function originOf(baseUrl: string): string {
  if (known.baseUrl !== baseUrl) {
    known = { baseUrl, origin: new URL(baseUrl).origin };
  }
  return known.origin;
}

/** Like {@link parseResourceUri}; returns `undefined` for anything but a resource of this server. */
export function findResourceUri(text: string, baseUrl: string): ResourceUri | undefined {
  try {
    return parseResourceUri(text, baseUrl);
  } catch {
    return undefined;
  }
}

/**
 * Checks whether a URI is of this server.
 *
 * @param uri - URI that is canonical if it is of this server, such as those in grants.
 */
export function isOwnUri(uri: string, baseUrl: string): uri is ResourceUri {
  return uri.startsWith(`${originOf(baseUrl)}/`);
}

/**
 * Returns the containers of a resource, direct and indirect, nearest first, by path segments. For a canonical URI they
 * are canonical.
 */
export function containersOf(uri: ResourceUri): ResourceUri[];
export function containersOf(uri: string): string[];
export function containersOf(uri: string): string[] {
  const containers: string[] = [];
  const beforePath = uri.indexOf('://') + 2;
  for (let end = uri.lastIndexOf('/', uri.length - 2); end > beforePath; end = uri.lastIndexOf('/', end - 1)) {
    containers.push(uri.slice(0, end + 1));
  }
  return containers;
}

/** Returns the resource itself and its containers: a pod is a container, and may itself be the resource. */
export function placesOf(uri: ResourceUri): ResourceUri[] {
  return [ uri, ...containersOf(uri) ];
}

/** A pod, and its container for shared data. */
export interface PodPlace {
  /** With a trailing slash, like `shares`. */
  podUrl: string;
  shares: string;
}

/** Returns the pod of a citizen; any other pod is treated as one made here. */
export function podPlace(citizen: Pick<Citizen, 'brought' | 'id' | 'podUrl'>): PodPlace {
  return { podUrl: citizen.podUrl, shares: sharesContainer(citizen) };
}

/**
 * Returns the URI of a resource in `/v1/pods/{podId}/resources/{resourceId}`: of shared data by its UUID, and of any
 * other resource by `~` and the base64url encoding of its path in the pod, in its only valid spelling. Returns
 * `undefined` for any other id.
 *
 * @param pod - The pod.
 * @param pod.podUrl - With a trailing slash.
 * @param pod.shares - With a trailing slash.
 * @param resourceId - Id as the caller sent it.
 */
export function findPodResourceUri({ podUrl, shares }: PodPlace, resourceId: string): ResourceUri | undefined {
  if (isOwnUuid(resourceId)) {
    return shareUri({ shares }, resourceId);
  }
  const path = resourceId.startsWith('~') ? Buffer.from(resourceId.slice(1), 'base64url').toString() : undefined;
  const uri = path === undefined ? undefined : findResourceUri(podUrl + path, podUrl);
  return uri?.startsWith(podUrl) && podResourceId(podUrl, uri) === resourceId ? uri : undefined;
}

/** Returns true for a possible URI of shared data, whether the data exists or not. */
export function isShareUri(place: PodPlace, uri: string): uri is ResourceUri {
  const name = uri.slice(uri.lastIndexOf('/') + 1);
  return isOwnUuid(name) && shareUri(place, name) === uri;
}

/**
 * Returns the URL of the pod in `/v1/pods/{podId}`: the top-level container of that name, or for `~` the root of the
 * server, which may have resources outside of pods. Returns `undefined` for an invalid id.
 *
 * @param podId - Decoded id.
 * @param baseUrl - Base URL of this server: an origin with a trailing slash.
 */
export function findPodUrl(podId: string, baseUrl: string): string | undefined {
  return podId === '~' ? baseUrl : findResourceUri(`${baseUrl}${encodeURIComponent(podId)}/`, baseUrl);
}

/** Returns the decoded id of a pod in `/v1/pods/{podId}`, for {@link findPodUrl}. */
export function podIdOf(podUrl: string): string {
  return decodeURIComponent(new URL(podUrl).pathname.slice(1, -1));
}

/** Returns the id of a resource without a contract, for {@link findPodResourceUri}. */
export function podResourceId(podUrl: string, uri: string): string {
  return `~${Buffer.from(uri.slice(podUrl.length)).toString('base64url')}`;
}

/**
 * Returns the URI for shared data in a pod. The first two hexadecimal digits of the id name a container, so that no
 * container grows large.
 *
 * @param place - The pod.
 * @param place.shares - Its container for shared data.
 */
export function shareUri({ shares }: Pick<PodPlace, 'shares'>, resourceId: string): ResourceUri {
  return canonicalUri(`${shares}${resourceId.slice(0, 2)}/${resourceId}`);
}
