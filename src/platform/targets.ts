/** Bounds on all paths, wherever they come from. */
export interface PathBounds {
  /** Maximum number of segments. */
  maxSegments: number;
  /** Maximum bytes, with escapes as written. */
  maxBytes: number;
}

/** A path was refused because it is malformed, ambiguous or out of bounds. */
export class PathRefused extends Error {
  public constructor(
    public readonly reason: 'malformed' | 'tooLong',
    message: string,
  ) {
    super(message);
    this.name = 'PathRefused';
  }
}

/** Default bounds. */
export const defaultPathBounds: PathBounds = { maxSegments: 64, maxBytes: 2048 };

/** Maximum bytes of a name on disk, a limit of all file systems. */
export const maxNameBytes = 255;

/**
 * Maximum bytes of a new name. This leaves room for `.acl` or `.acr`, the marker `$.` and the longest extension of a
 * media type, so that its access control list can be a file of any type.
 */
const maxNewNameBytes = 225;

/** Suffix of an auxiliary resource, for which the name of its subject leaves room. */
const auxiliarySuffix = /\.(?:ac[lr]|meta)$/u;

let bounds = defaultPathBounds;

/** Sets the bounds of this process, once at start. */
export function setPathBounds(given: PathBounds): void {
  bounds = given;
}

/** A path that is already canonical: unreserved characters, no segment that is empty or consists of dots alone. */
const plainPath = /^\/(?:(?!\.\.?(?:\/|$))[\w!'()*.~-]+\/)*(?:(?!\.\.?$)[\w!'()*.~-]+)?$/u;

/**
 * Characters that are not visible ASCII, or that some parsers mistake for another character or for the end of a path.
 */
const mustBeEscaped = /[^\u0021-\u007E]|[#\\]/u;

const ambiguous = /[/\\\p{Control}\p{Surrogate}]/u;

/**
 * Returns the canonical form of a path segment: decoded and encoded again, as the Solid server does.
 *
 * @throws PathRefused when it is malformed, is a dot segment, or contains a slash, a backslash or a control character.
 */
export function canonicalSegment(segment: string): string {
  const decoded = segment.includes('%') ? decode(segment) : segment;
  if (decoded === '.' || decoded === '..') {
    throw new PathRefused('malformed', 'The path has a dot segment.');
  }
  if (ambiguous.test(decoded)) {
    throw new PathRefused('malformed', 'The path has an encoded slash, a backslash or a control character.');
  }
  // Doubly encoded slashes are the only escapes that the server writes in upper case.
  return encodeURIComponent(decoded).replaceAll(/%(?:25)+(?:2f|5c)/giu, (escape): string => escape.toUpperCase());
}

/**
 * Returns the canonical form of a URL's path, segment by segment. Empty segments are kept.
 *
 * @throws PathRefused when a segment is malformed or ambiguous.
 */
export function canonicalSegments(path: string): string {
  return path.split('/').map(canonicalSegment).join('/');
}

/**
 * Returns the path of a request in the form in which the Solid server reads it: canonical segments, without empty ones,
 * and with unescaped dot segments resolved.
 *
 * @param path - Path from the request line, without a query.
 *
 * @throws PathRefused when parsers could read it differently, or it is out of bounds.
 */
export function canonicalPath(path: string): string {
  if (path.length > bounds.maxBytes) {
    throw new PathRefused('tooLong', `A path has at most ${bounds.maxBytes} bytes.`);
  }
  const canonical = plainPath.test(path) ? path : rewritten(path);
  checkPathBounds(canonical);
  return canonical;
}

/**
 * Checks a canonical path against the bounds.
 *
 * @throws PathRefused
 */
export function checkPathBounds(path: string): void {
  if (path.length > bounds.maxBytes) {
    throw new PathRefused('tooLong', `A path has at most ${bounds.maxBytes} bytes.`);
  }
  let segments = path.endsWith('/') ? 0 : 1;
  for (let at = path.indexOf('/', 1); at !== -1; at = path.indexOf('/', at + 1)) {
    segments += 1;
  }
  if (segments > bounds.maxSegments) {
    throw new PathRefused('tooLong', `A path has at most ${bounds.maxSegments} segments.`);
  }
}

/**
 * Checks that no name in a canonical path is too long for any storage.
 *
 * @throws PathRefused
 */
export function checkNames(path: string): void {
  // On disk, no character takes more than three bytes.
  if (path.length > maxNameBytes / 3 && path.split('/').some((name): boolean => nameBytes(name) > maxNameBytes)) {
    throw new PathRefused('tooLong', `A name has at most ${maxNameBytes} bytes.`);
  }
}

/** A name that no new resource may have, because some storages cannot keep it. */
export interface UnfitName {
  /** Path that ends in this name; ends with a slash for a container. */
  path: string;
  reason: PathRefused['reason'];
  /** Message for the caller. */
  message: string;
}

/** Finds the last name in a canonical path that no new resource may have. */
export function findUnfitName(path: string): UnfitName | undefined {
  let end = 0;
  let found: UnfitName | undefined;
  for (const name of path.split('/').slice(1)) {
    end += 1 + name.length;
    if (nameBytes(name.replace(auxiliarySuffix, '')) > maxNewNameBytes) {
      const message = `A new name has at most ${maxNewNameBytes} bytes.`;
      found = { path: path.slice(0, end + 1), reason: 'tooLong', message };
    } else if (isAmbiguousAsFile(name)) {
      const message = 'A new name has no $ before a dot or at its end, and no percent sign before the number of a ' +
        'character that files cannot have in their names.';
      found = { path: path.slice(0, end + 1), reason: 'malformed', message };
    }
  }
  return found;
}

/**
 * Returns true when the file of a name could also be that of another name: the server writes the type of a document
 * after `$.`, and leaves some characters encoded.
 */
function isAmbiguousAsFile(segment: string): boolean {
  return /[$%]/u.test(segment) && /\$(?:\.|$)|%(?:22|2a|3[acef]|7c)/iu.test(decode(segment));
}

/** Returns the number of bytes of a canonical segment as a file name, where some characters stay encoded. */
export function nameBytes(segment: string): number {
  return segment.split(/(%(?:25)+(?:2f|5c))/iu)
    .map((part, index): string => index % 2 === 0 ? decode(part).replaceAll(/["*:<>?|]/gu, '%00') : part)
    .reduce((sum, part): number => sum + Buffer.byteLength(part), 0);
}

function rewritten(path: string): string {
  if (!path.startsWith('/') || mustBeEscaped.test(path)) {
    throw new PathRefused('malformed', 'The path has characters that must be percent-encoded, or a backslash.');
  }
  const segments: string[] = [];
  for (const segment of path.split('/').slice(1)) {
    if (segment === '..') {
      segments.pop();
    } else if (segment !== '' && segment !== '.') {
      segments.push(canonicalSegment(segment));
    }
  }
  const isContainer = /\/\.{0,2}$/u.test(path);
  return `/${segments.join('/')}${isContainer && segments.length > 0 ? '/' : ''}`;
}

function decode(segment: string): string {
  try {
    return decodeURIComponent(segment);
  } catch {
    throw new PathRefused('malformed', 'The path has a malformed percent-encoding.');
  }
}
