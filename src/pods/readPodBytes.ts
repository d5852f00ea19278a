import type { Readable } from 'node:stream';
import { bytesOf } from '../platform/bytesOf';
import type { PodResource } from '../platform/PodResource';
import type { PodBytes } from './PodGateway';

/** Reads the whole of a document; returns `undefined` if it is longer than `maxBytes`. */
export async function readPodBytes(
  { body, contentType, etag, modified }: PodResource,
  maxBytes: number,
): Promise<PodBytes | undefined> {
  const [ mediaType ] = contentType.split(';', 1);
  const bytes = Buffer.isBuffer(body) ? atMost(body, maxBytes) : await readAtMost(body, maxBytes);
  return bytes && { bytes, contentType: mediaType, etag, modified };
}

function atMost(bytes: Buffer, maxBytes: number): Buffer | undefined {
  return bytes.length <= maxBytes ? bytes : undefined;
}

/** Reads a stream to its end; destroys it and returns `undefined` if it is longer than `maxBytes`. */
async function readAtMost(stream: Readable, maxBytes: number): Promise<Buffer | undefined> {
  const chunks: Buffer[] = [];
  let length = 0;
  for await (const chunk of stream) {
    const bytes = bytesOf(chunk);
    length += bytes.length;
    if (length > maxBytes) {
      stream.destroy();
      return;
    }
    chunks.push(bytes);
  }
  return Buffer.concat(chunks);
}
