import type { Duplex } from 'node:stream';
import { currentResponse } from './currentResponse';

/**
 * Runs work that writes to an HTTP connection that Node has detached, once all responses in progress on it are sent.
 * Clients may have all of a response before Node is done with it, and send another request.
 *
 * Closes the connection instead when nothing is sent or read for the time-out of the connection.
 */
export function afterResponse(socket: Duplex, work: () => void): void {
  const current = currentResponse(socket);
  if (!current) {
    work();
    return;
  }
  function close(): void {
    socket.destroy();
  }
  socket.on('error', close).on('timeout', close);
  current.once('close', (): void => {
    socket.off('error', close).off('timeout', close);
    if (socket.writable) {
      afterResponse(socket, work);
    }
  });
}
