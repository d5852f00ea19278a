import { PassThrough, Readable } from 'node:stream';
import {
  guardStream,
  PassthroughStore,
  pipeSafely,
  POSIX,
  RangeNotSatisfiedHttpError,
  SOLID_HTTP,
  termToInt,
  toLiteral,
  XSD,
} from '@solid/community-server';
import type {
  Conditions,
  Representation,
  RepresentationPreferences,
  ResourceIdentifier,
  ResourceStore,
} from '@solid/community-server';
import { readBeginning } from '../readBeginning';
import { isIndexPagePermitted, permitIndexPage } from '../index-pages/permittedIndexPages';

/** Maximum bytes of generated representations that are sliced; larger ones are sent whole. */
const maxHeldBytes = 1024 * 1024;

/** First and last byte. */
interface Slice {
  start: number;
  end: number;
}

/**
 * Sends the requested part of a representation, as read by {@link ByteRangeParser}. Ranges apply to the sent bytes:
 * those of the stored document, or of its conversion.
 *
 * @see [RFC 9110, section 14](https://www.rfc-editor.org/rfc/rfc9110#section-14)
 */
export class ByteRangeStore extends PassthroughStore {
  /** @param source - The store behind it. */

  public constructor(source: ResourceStore) {
    super(source);
  }

  /** @throws RangeNotSatisfiedHttpError */
  public override async getRepresentation(
    identifier: ResourceIdentifier,
    preferences: RepresentationPreferences,
    conditions?: Conditions,
  ): Promise<Representation> {
    const { range } = preferences;
    const representation = await super.getRepresentation(identifier, withoutRange(preferences), conditions);
    const [ part ] = range?.parts ?? [];
    // Conditions come before ranges: the caller of this store handles a failed condition.
    const isToBeSent = conditions?.matchesMetadata(representation.metadata, true) !== false;
    const size = part && representation.binary && isToBeSent ? await findSize(representation) : undefined;
    if (part && size !== undefined) {
      cut(representation, part, size);
    }
    return representation;
  }
}

/** Removes the range from preferences: stores behind this one send whole representations. Other preferences stay. */
function withoutRange(preferences: RepresentationPreferences): RepresentationPreferences {
  if (!preferences.range) {
    return preferences;
  }
  const whole = { ...preferences, range: undefined };
  if (isIndexPagePermitted(preferences)) {
    permitIndexPage(whole);
  }
  return whole;
}

/** Finds the size of a representation, after reading its beginning if need be; `undefined` when that is not enough. */
async function findSize(representation: Representation): Promise<number | undefined> {
  const known = sizeOf(representation);
  if (known !== undefined) {
    return known;
  }
  const { data, size } = await readBeginning(readable(representation), maxHeldBytes);
  representation.data = data;
  if (size !== undefined) {
    representation.metadata.set(POSIX.terms.size, toLiteral(size, XSD.terms.integer));
  }
  return size;
}

/** @throws RangeNotSatisfiedHttpError */
function cut(representation: Representation, part: { start: number; end?: number }, size: number): void {
  const slice = sliceOf(part, size);
  if (slice === undefined) {
    representation.data.destroy();
    throw new RangeNotSatisfiedHttpError(`The representation has ${size} bytes.`);
  }
  // An empty representation has no ranges.
  if (size > 0) {
    const { metadata } = representation;
    metadata.set(SOLID_HTTP.terms.unit, 'bytes');
    metadata.set(SOLID_HTTP.terms.start, toLiteral(slice.start, XSD.terms.integer));
    metadata.set(SOLID_HTTP.terms.end, toLiteral(slice.end, XSD.terms.integer));
    const source = readable(representation);
    representation.data = guardStream(Readable.from(sliced(source, slice), { objectMode: false }));
    // A part of which nothing is read would not end the stream that it is cut from.
    representation.data.once('close', (): unknown => source.destroy());
  }
}

/** Returns the existing part of a range; undefined when there is none. */
function sliceOf({ start, end = Infinity }: { start: number; end?: number }, size: number): Slice | undefined {
  if (Object.is(start, -0) || start >= Math.max(size, 0)) {
    return undefined;
  }
  return { start: start < 0 ? Math.max(size + start, 0) : start, end: Math.min(end, size - 1) };
}

async function* sliced(data: Readable, { start, end }: Slice): AsyncIterable<Buffer> {
  let at = 0;
  const chunks: AsyncIterable<Buffer> = data;
  for await (const chunk of chunks) {
    const part = chunk.subarray(Math.max(start - at, 0), end + 1 - at);
    if (part.length > 0) {
      yield part;
    }
    at += chunk.length;
    if (at > end) {
      // The rest is not needed.
      return;
    }
  }
}

/** Wraps the data: streams of the server may be proxies, which cannot be iterated. */
function readable({ data }: Representation): Readable {
  return pipeSafely(data, new PassThrough());
}

function sizeOf({ metadata }: Representation): number | undefined {
  return termToInt(metadata.get(POSIX.terms.size));
}
