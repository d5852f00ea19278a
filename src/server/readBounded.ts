import type { Readable } from 'node:stream';
import { HttpError } from '@solid/community-server';
import { bytesOf } from '../platform/bytesOf';

/**
 * Reads the text of a body that is parsed before its sender is known.
 *
 * @param what - Subject of the error message for a longer body.
 *
 * @throws HttpError 413
 */
export async function readBounded(body: Readable, maxBytes: number, what: string): Promise<string> {
  const chunks: Buffer[] = [];
  let size = 0;
  // The response is sent on the same connection.
  for await (const chunk of body.iterator({ destroyOnReturn: false })) {
    const bytes = bytesOf(chunk);
    chunks.push(bytes);
    size += bytes.length;
    if (size > maxBytes) {
      throw tooLarge(`${what} may have at most ${maxBytes} bytes.`);
    }
  }
  return Buffer.concat(chunks).toString();
}

/** Creates a 413 error for a body beyond the limit. The server has such an error, but does not export it. */
export function tooLarge(message: string): HttpError {
  return new HttpError(413, 'PayloadHttpError', message);
}
