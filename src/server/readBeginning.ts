import type { Readable } from 'node:stream';
import { PassThrough } from 'node:stream';
import { guardedStreamFrom, pipeSafely } from '@solid/community-server';
import type { Guarded } from '@solid/community-server';
import { bytesOf } from '../platform/bytesOf';

/** A stream of which the beginning was read. */
export interface Begun {
  /** The same bytes from the start. Destroying it destroys the stream itself. */
  data: Guarded<Readable>;
  /** Number of bytes, if they are all of the stream. */
  size?: number;
}

/**
 * Reads a stream up to its end, or until more than a number of bytes have arrived.
 *
 * @throws The error of the stream.
 */
export async function readBeginning(source: Readable, maxBytes: number): Promise<Begun> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of source.iterator({ destroyOnReturn: false })) {
    const bytes = bytesOf(chunk);
    chunks.push(bytes);
    size += bytes.length;
    if (size > maxBytes) {
      break;
    }
  }
  if (size <= maxBytes) {
    return { data: guardedStreamFrom(chunks, { objectMode: false }), size };
  }
  // Not by a generator: one that nobody has begun to read would not destroy the stream.
  const data = new PassThrough();
  for (const chunk of chunks) {
    data.write(chunk);
  }
  return { data: pipeSafely(source, data) };
}
