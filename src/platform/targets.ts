/** Bounds on paths, wherever a path comes from. */
export interface PathBounds {
  /** Most segments. */
  maxSegments: number;
  /** Most bytes, escapes as they are written. */
  maxBytes: number;
}

/** A path that is not read: because it is malformed or ambiguous, or because it is past a bound. */
export class PathRefused extends Error {
  public constructor(
    public readonly reason: 'malformed' | 'tooLong',
    message: string,
  ) {
    super(message);
    this.name = 'PathRefused';
  }
}

/** Bounds where the operator sets none. */
export const usualPathBounds: PathBounds = { maxSegments: 64, maxBytes: 2048 };

/** Most bytes of one name, as it is written on a disk: no file system takes more. */
export const maxNameBytes = 255;

/**
 * Most bytes of a new name: its access control list, as a file of any type, still has room for `.acl` or `.acr`, the
 * mark `$.` and the longest extension of a media type.
 */
export const maxNewNameBytes = 225;

/** Ends the names of resources that belong to another, for which that one's name leaves room. */
const auxiliarySuffix = /\.(?:ac[lr]|meta)$/u;

let bounds = usualPathBounds;

/** Sets the bounds of this process, once at its start. */
export function setPathBounds(given: PathBounds): void {
  bounds = given;
}

/** A path in its one form already: unreserved characters, no segment empty or of dots alone. */
const plainPath = /^\/(?:(?!\.\.?(?:\/|$))[\w!'()*.~-]+\/)*(?:(?!\.\.?$)[\w!'()*.~-]+)?$/u;

/** Characters that are not visible ASCII, or that some readers take for another, or for the end of a path. */
const mustBeEscaped = /[^\u0021-\u007E]|[#\\]/u;

const ambiguous = /[/\\\p{Control}\p{Surrogate}]/u;

/**
 * One segment of a path in its one form: decoded and encoded again, as the Solid server itself does it.
 *
 * @throws PathRefused when it is malformed, is a dot segment, or has a slash, a backslash or a control character.
 */
export function canonicalSegment(segment: string): string {
  const decoded = segment.includes('%') ? decode(segment) : segment;
  if (decoded === '.' || decoded === '..') {
    throw new PathRefused('malformed', 'The path has a dot segment.');
  }
  if (ambiguous.test(decoded)) {
    throw new PathRefused('malformed', 'The path has an encoded slash, a backslash or a control character.');
  }
  // Slashes that are encoded twice are the one escape that the server writes in upper case.
  return encodeURIComponent(decoded).replaceAll(/%(?:25)+(?:2f|5c)/giu, (escape): string => escape.toUpperCase());
}

/**
 * The path of a URL in its one form, segment by segment; empty ones stay.
 *
 * @throws PathRefused when a segment is malformed or ambiguous.
 */
export function canonicalSegments(path: string): string {
  return path.split('/').map(canonicalSegment).join('/');
}

/**
 * The path of a request in the one form in which the Solid server will read it: each segment in its one form, empty
 * ones left out, unescaped dot segments resolved.
 *
 * @param path - From the request line, without a query.
 *
 * @throws PathRefused when two readers could understand it differently, or it is past the bounds.
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
 * Holds a path in its one form against the bounds.
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
 * Holds the names in a path in its one form against the length that every storage takes.
 *
 * @throws PathRefused
 */
export function checkNames(path: string): void {
  // On a disk no character takes more than three bytes.
  if (path.length > maxNameBytes / 3 && path.split('/').some((name): boolean => nameBytes(name) > maxNameBytes)) {
    throw new PathRefused('tooLong', `A name has at most ${maxNameBytes} bytes.`);
  }
}

/** A name that no new resource may have, because some storage cannot keep it. */
export interface UnfitName {
  /** Path that it ends; that of a container has its slash. */
  path: string;
  reason: PathRefused['reason'];
  /** For the caller. */
  message: string;
}

/** The last name in a path in its one form that no new resource may have. */
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
 * Returns true when the file of a name would also be that of another: the server tells the type of a document behind
 * `$.`, and keeps some characters escaped.
 */
function isAmbiguousAsFile(segment: string): boolean {
  return /[$%]/u.test(segment) && /\$(?:\.|$)|%(?:22|2a|3[acef]|7c)/iu.test(decode(segment));
}

/** How many bytes a segment in its one form takes as the name of a file: some characters stay encoded there. */
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
