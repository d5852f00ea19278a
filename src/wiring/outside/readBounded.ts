import type { Readable } from 'node:stream';
import { HttpError } from '@solid/community-server';

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
  // Whoever sends it is answered on the same connection.
  for await (const chunk of body.iterator({ destroyOnReturn: false })) {
    const bytes = Buffer.from(chunk as string);
    chunks.push(bytes);
    size += bytes.length;
    if (size > maxBytes) {
      throw new HttpError(413, 'PayloadHttpError', `${what} may have ${maxBytes} bytes.`);
    }
  }
  return Buffer.concat(chunks).toString();
}
