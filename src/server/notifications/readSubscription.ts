import type { Readable } from 'node:stream';
import { guardedStreamFrom } from '@solid/community-server';
import type { Guarded } from '@solid/community-server';
import { readBounded } from '../readBounded';

const maxBytes = 16 * 1024;

/**
 * Receives the body of a request for notifications, which anybody may send.
 *
 * @throws HttpError 413
 */
export async function readSubscription(body: Readable): Promise<Guarded<Readable>> {
  return guardedStreamFrom(await readBounded(body, maxBytes, 'A subscription'));
}
