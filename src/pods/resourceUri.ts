import type { Citizen } from '../identity/CitizenStore';
import { sharesContainer } from '../identity/sharesContainer';
import { canonicalSegments, checkNames, checkPathBounds, PathRefused } from '../platform/targets';
import { isOwnUuid } from '../platform/uuid';
import { OriginNotHere, ResourceUriInvalid } from '../problems';
import { ownNames } from '../vocabulary';

declare const canonicalForm: unique symbol;

/**
 * URI of a resource of this server in its one spelling: two that name the same resource are the same text. Only the
 * functions of this file make it.
 */
export type ResourceUri = string & { readonly [canonicalForm]: 'ResourceUri' };

/** Top-level names of this server that are no pods. */
const reservedNames = new Set([ '.internal', ...ownNames ]);

// Control characters and spaces are removed by URL parsers, backslashes read as slashes: none may be in a URI.
// eslint-disable-next-line no-control-regex -- they are refused
const form = /^(https?):\/\/([^/\u0000-\u001F\u0020\u007F\\]+)(\/[^\u0000-\u001F\u0020\u007F\\]*)?$/iu;

function invalid(detail: string): never {
  throw new ResourceUriInvalid(detail);
}

/** A path in its one spelling: segments of unreserved characters, none empty or of dots alone. */
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

/** The one spelling of a path, within the bounds that hold for paths of requests, too. */
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
 * Parses the URI of a pod resource: two spellings of a resource become the same text, and there is no spelling that a
 * later reader could understand otherwise.
 *
 * @param text - As a caller sent it.
 * @param baseUrl - Base URL of this server: an origin.
 *
 * @throws ResourceUriInvalid when it is not an absolute http(s) URI, or has credentials, a query, a fragment, dot or
 * empty segments, encoded slashes, or control characters, is past the bounds on paths, or names an interface of this
 * server.
 * @throws OriginNotHere when it is a resource of another server: that one is never asked.
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

/** Asserts that a text is canonical: each caller has made sure of that. */
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

/** The origin of the base URL, which is the same for nearly every call. */
function originOf(baseUrl: string): string {
  if (known.baseUrl !== baseUrl) {
    known = { baseUrl, origin: new URL(baseUrl).origin };
  }
  return known.origin;
}

/** Like {@link parseResourceUri}; `undefined` for anything but a resource of this server. */
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
 * @param uri - Canonical if it is of this server, as those that grants name.
 */
export function isOwnUri(uri: string, baseUrl: string): uri is ResourceUri {
  return uri.startsWith(`${originOf(baseUrl)}/`);
}

/**
 * The containers that a resource is in, directly or not, nearest first: path segments count, not string prefixes.
 * Those of a canonical URI are canonical.
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

/** The resource itself and the containers that it is in: a pod is a container, and may itself be the resource. */
export function placesOf(uri: ResourceUri): ResourceUri[] {
  return [ uri, ...containersOf(uri) ];
}

/** A pod, and the container in it that shared data goes to. */
export interface PodPlace {
  /** With a trailing slash, as the other. */
  podUrl: string;
  shares: string;
}

/** The pod of a citizen; of anybody else, as if it were made here. */
export function podPlace(citizen: Pick<Citizen, 'brought' | 'id' | 'podUrl'>): PodPlace {
  return { podUrl: citizen.podUrl, shares: sharesContainer(citizen) };
}

/**
 * The URI of what `/v1/pods/{podId}/resources/{resourceId}` names: shared data by its UUID, and any other resource by
 * `~` and the base64url of its path in the pod, of which there is one spelling; `undefined` for anything else.
 *
 * @param pod - The pod.
 * @param pod.podUrl - With a trailing slash.
 * @param pod.shares - Likewise.
 * @param resourceId - As the caller sent it.
 */
export function findPodResourceUri({ podUrl, shares }: PodPlace, resourceId: string): ResourceUri | undefined {
  if (isOwnUuid(resourceId)) {
    return shareUri({ shares }, resourceId);
  }
  const path = resourceId.startsWith('~') ? Buffer.from(resourceId.slice(1), 'base64url').toString() : undefined;
  const uri = path === undefined ? undefined : findResourceUri(podUrl + path, podUrl);
  return uri?.startsWith(podUrl) && podResourceId(podUrl, uri) === resourceId ? uri : undefined;
}

/** True for the place of some shared data, whether there is any. */
export function isShareUri(place: PodPlace, uri: string): uri is ResourceUri {
  const name = uri.slice(uri.lastIndexOf('/') + 1);
  return isOwnUuid(name) && shareUri(place, name) === uri;
}

/**
 * The URL of the pod that `/v1/pods/{podId}` names: the top-level container of that name, or for `~` the root of the
 * server, where there may be resources outside of pods. `undefined` when no pod can be named so.
 *
 * @param podId - Decoded.
 * @param baseUrl - Base URL of this server: an origin with a trailing slash.
 */
export function findPodUrl(podId: string, baseUrl: string): string | undefined {
  return podId === '~' ? baseUrl : findResourceUri(`${baseUrl}${encodeURIComponent(podId)}/`, baseUrl);
}

/** The id of a pod in `/v1/pods/{podId}`, decoded: the name by which {@link findPodUrl} finds it. */
export function podIdOf(podUrl: string): string {
  return decodeURIComponent(new URL(podUrl).pathname.slice(1, -1));
}

/** The id that {@link findPodResourceUri} reads, of a resource that no contract made. */
export function podResourceId(podUrl: string, uri: string): string {
  return `~${Buffer.from(uri.slice(podUrl.length)).toString('base64url')}`;
}

/**
 * The place of shared data in a pod. The first two hexadecimal digits of the id make a container of their own, so that
 * no container grows large.
 *
 * @param place - The pod.
 * @param place.shares - Its container for shared data.
 */
export function shareUri({ shares }: Pick<PodPlace, 'shares'>, resourceId: string): ResourceUri {
  return canonicalUri(`${shares}${resourceId.slice(0, 2)}/${resourceId}`);
}
