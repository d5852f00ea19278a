import type { ServerResponse } from 'node:http';
import type { Duplex } from 'node:stream';
import { opened } from './opened';

/**
 * Returns the response that is in progress on an HTTP connection, whether or not any of it is sent: anything else
 * that is written to the connection would be taken for it, or mixed with it.
 */
export function currentResponse(socket: Duplex): ServerResponse | undefined {
  // Node's own reference.
  return opened<{ _httpMessage?: ServerResponse | null }>(socket)._httpMessage ?? undefined;
}
