import type { Readable } from 'node:stream';
import { HttpError } from '@solid/community-server';
import { bytesOf } from '../platform/bytesOf';

/**
 * The text of a body that is taken apart before it is known who sends it.
 *
 * @param what - Begins the sentence that refuses a longer one.
 *
 * @throws HttpError 413
 */
export async function readBounded(body: Readable, maxBytes: number, what: string): Promise<string> {
  const chunks: Buffer[] = [];
  let size = 0;
  // The response goes out on the same connection.
  for await (const chunk of body.iterator({ destroyOnReturn: false })) {
    const bytes = bytesOf(chunk);
    chunks.push(bytes);
    size += bytes.length;
    if (size > maxBytes) {
      throw tooLarge(`${what} may have ${maxBytes} bytes.`);
    }
  }
  return Buffer.concat(chunks).toString();
}

/** 413 for a body beyond the limit. The server has an error for it, but does not export it. */
export function tooLarge(message: string): HttpError {
  return new HttpError(413, 'PayloadHttpError', message);
}
