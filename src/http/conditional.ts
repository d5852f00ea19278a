import type { IncomingHttpHeaders } from 'node:http';
import { parseHttpDate } from '../platform/parseHttpDate';
import { PreconditionFailed, RangeNotSatisfiable } from '../problems';
import type { Operation } from './Operation';

/** Validators of a representation, for conditions on requests. */
export interface Validators {
  etag: string;
  modified?: Date;
}

/** First and last byte of a range, inclusive. */
export interface ByteRange {
  first: number;
  last: number;
}

/**
 * Checks whether the caller has this representation already, by the conditions of a GET or HEAD.
 *
 * @returns True when the response is 304.
 *
 * @throws PreconditionFailed
 *
 * @see [RFC 9110, section 13.2.2](https://www.rfc-editor.org/rfc/rfc9110#section-13.2.2)
 */
export function isNotModified(headers: IncomingHttpHeaders, { etag, modified }: Validators): boolean {
  const ifMatch = headers['if-match'];
  if (ifMatch === undefined) {
    const since = parseHttpDate(headers['if-unmodified-since']);
    if (since && modified && seconds(modified) > seconds(since)) {
      throw new PreconditionFailed('The resource was modified since.');
    }
  } else if (!lists(ifMatch, etag, false)) {
    throw new PreconditionFailed('No entity tag in If-Match is the current one.');
  }
  const ifNoneMatch = headers['if-none-match'];
  if (ifNoneMatch !== undefined) {
    return lists(ifNoneMatch, etag, true);
  }
  const since = parseHttpDate(headers['if-modified-since']);
  return since !== undefined && modified !== undefined && seconds(modified) <= seconds(since);
}

/**
 * Checks the conditions of a request that changes something, before it does. No such target has an entity tag or a date
 * of its last change, so tags in `If-Match` match none of it, and `If-Unmodified-Since` is ignored.
 *
 * An operation that may create its target checks `*` itself, by {@link assertExistence}. Any other has a target, or
 * refuses the request for lack of one.
 *
 * @throws PreconditionFailed
 *
 * @see [RFC 9110, section 13.1](https://www.rfc-editor.org/rfc/rfc9110#section-13.1)
 */
export function assertChangeable(
  { method, mayCreate = false }: Pick<Operation, 'mayCreate' | 'method'>,
  headers: IncomingHttpHeaders,
): void {
  const ifMatch = headers['if-match'];
  if (ifMatch !== undefined && !isAny(ifMatch)) {
    throw new PreconditionFailed('The target has no entity tag, so none in If-Match is its current one.');
  }
  // POST makes something else than its target.
  if (method !== 'POST' && !mayCreate) {
    assertExistence(headers, true);
  }
}

/**
 * Checks `*` in `If-Match` and `If-None-Match` of a request that changes something.
 *
 * @param headers - Headers of the request.
 * @param exists - True when its target exists.
 *
 * @throws PreconditionFailed
 *
 * @see [RFC 9110, section 13.2.2](https://www.rfc-editor.org/rfc/rfc9110#section-13.2.2)
 */
export function assertExistence(headers: IncomingHttpHeaders, exists: boolean): void {
  if (!exists && isAny(headers['if-match'])) {
    throw new PreconditionFailed('The target of If-Match does not exist.');
  }
  if (exists && isAny(headers['if-none-match'])) {
    throw new PreconditionFailed('The target of If-None-Match exists.');
  }
}

/** Checks whether a request has a condition on whether its target exists. */
export function asksForExistence(headers: IncomingHttpHeaders): boolean {
  return isAny(headers['if-match']) || isAny(headers['if-none-match']);
}

/**
 * Returns the byte range that a GET requests.
 *
 * @param headers - Headers of the request.
 * @param size - Total bytes.
 * @param validators - Validators for `If-Range`.
 *
 * @returns `undefined` for the whole representation, also for several ranges, other units than bytes, and unknown size.
 *
 * @throws RangeNotSatisfiable
 *
 * @see [RFC 9110, section 14.2](https://www.rfc-editor.org/rfc/rfc9110#section-14.2)
 */
export function requestedRange(
  headers: IncomingHttpHeaders,
  size: number,
  validators: Validators,
): ByteRange | undefined {
  const match = Number.isFinite(size) && /^bytes=\s*(\d*)-(\d*)\s*$/iu.exec(headers.range ?? '');
  if (!match || (match[1] === '' && match[2] === '') || !isRangeCurrent(headers['if-range'], validators)) {
    return undefined;
  }
  const suffix = match[1] === '';
  const first = suffix ? Math.max(0, size - Number(match[2])) : Number(match[1]);
  const last = suffix || match[2] === '' ? size - 1 : Math.min(Number(match[2]), size - 1);
  if (!suffix && match[2] !== '' && Number(match[2]) < first) {
    return undefined;
  }
  // An empty representation has last bytes, but no part.
  if (suffix && size === 0 && Number(match[2]) > 0) {
    return undefined;
  }
  if (first >= size) {
    const headersOfProblem = { 'Content-Range': `bytes */${size}` };
    throw new RangeNotSatisfiable(`The resource has ${size} bytes.`, { headers: headersOfProblem });
  }
  return { first, last };
}

function isRangeCurrent(ifRange: string | string[] | undefined, { etag, modified }: Validators): boolean {
  if (typeof ifRange !== 'string') {
    return true;
  }
  if (ifRange.includes('"')) {
    return ifRange.trim() === etag && !etag.startsWith('W/');
  }
  const date = parseHttpDate(ifRange);
  return modified !== undefined && date !== undefined && seconds(date) === seconds(modified);
}

function isAny(header: string | undefined): boolean {
  return header?.trim() === '*';
}

function lists(header: string, etag: string, weak: boolean): boolean {
  if (isAny(header)) {
    return true;
  }
  const tags: string[] = header.match(/(?:W\/)?"[^"]*"/gu) ?? [];
  if (weak) {
    return tags.some((tag): boolean => opaque(tag) === opaque(etag));
  }
  return !etag.startsWith('W/') && tags.includes(etag);
}

function opaque(tag: string): string {
  return tag.startsWith('W/') ? tag.slice(2) : tag;
}

function seconds(date: Date): number {
  return Math.floor(date.getTime() / 1000);
}
