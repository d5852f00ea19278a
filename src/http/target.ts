import { decodeLeniently } from '../platform/decodeLeniently';
import type { PathRefused } from '../platform/targets';
import type { Problem } from '../problems';
import { BadRequest, PathTooLong } from '../problems';

/** The target of a request, read from the raw request line. */
export interface Target {
  /** Path and query as sent, without scheme and authority. */
  raw: string;
  /** Decoded path segments: `/v1/webids` is `[ 'v1', 'webids' ]`, `/.access/` is `[ '.access', '' ]`. */
  segments: string[];
  /** The query as sent, without question mark. */
  query: string;
}

const absoluteForm = /^https?:\/\/[^/?#]*/iu;
// eslint-disable-next-line no-control-regex -- they are refused
const refused = /[/\\\u0000-\u001F\u007F]/u;

/**
 * Parses the target of a request without normalising: dot segments, encoded slashes, backslashes or control characters
 * and malformed escapes are refused, so that no two parts of the server can read a path differently.
 *
 * @param url - Request target as Node gives it: origin form or absolute form.
 *
 * @throws BadRequest
 */
export function parseTarget(url: string): Target {
  const raw = requestPath(url);
  const end = raw.search(/[?#]/u);
  const path = end === -1 ? raw : raw.slice(0, end);
  const query = end !== -1 && raw[end] === '?' ? raw.slice(end + 1).split('#', 1)[0] : '';
  return { raw, segments: path.split('/').slice(1).map(decodeSegment), query };
}

/**
 * Returns the path segments as sent, neither decoded nor checked: enough to guess the operation of a malformed path.
 */
export function rawSegments(url: string): string[] {
  return requestPath(url).split(/[?#]/u, 1)[0].split('/').slice(1);
}

/**
 * Returns the first path segment, decoded if possible: enough to find the part of the server that handles the request.
 */
export function firstSegment(url: string): string {
  return decodeLeniently(requestPath(url).split(/[/?#]/u, 2)[1] ?? '');
}

/** Creates the problem of a path that is refused before it is parsed. */
export function pathProblem({ message, reason }: PathRefused): Problem {
  return reason === 'tooLong' ? new PathTooLong(message) : new BadRequest(message);
}

function requestPath(url: string): string {
  return url.startsWith('/') ? url : url.replace(absoluteForm, '') || '/';
}

function decodeSegment(segment: string): string {
  const decoded = segment.includes('%') ? decode(segment) : segment;
  if (decoded === '.' || decoded === '..' || refused.test(decoded)) {
    throw new BadRequest('The path has a dot segment, an encoded slash or a control character.');
  }
  return decoded;
}

function decode(segment: string): string {
  try {
    return decodeURIComponent(segment);
  } catch (cause: unknown) {
    throw new BadRequest('The path has a malformed percent-encoding.', { cause });
  }
}
