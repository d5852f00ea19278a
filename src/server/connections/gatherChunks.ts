import type { IncomingMessage } from 'node:http';
import { wrapMethod } from '../replacePart';

/** Chunks up to this length, in bytes, wait for the next ones. */
const smallBytes = 1024;
/** Maximum number of chunks that wait. */
const mostWaiting = 1024;

/**
 * Joins the small chunks of a body that arrive together. A body in chunks of single bytes would otherwise take hundreds
 * of times its size in memory, wherever it is collected.
 *
 * Call it before anything reads the request. A body with `Content-Length` comes in pieces as large as its packets.
 *
 * @see [RFC 9112, section 7.1](https://www.rfc-editor.org/rfc/rfc9112#section-7.1)
 */
export function gatherChunks(request: IncomingMessage): void {
  if (request.headers['transfer-encoding'] === undefined) {
    return;
  }
  wrapMethod<[Buffer | null], boolean>(request, 'push', (push): typeof push => {
    let chunks: Buffer[] = [];

    /** Returns false when the reader has enough for now. */
    function passOn(): boolean {
      const gathered = chunks;
      chunks = [];
      return gathered.length === 0 || push(gathered.length === 1 ? gathered[0] : Buffer.concat(gathered));
    }

    /** Runs once nothing more has arrived, and pauses the connection as the parser does. */
    function passOnLater(): void {
      if (!request.destroyed && !passOn()) {
        request.socket.pause();
      }
    }

    return (chunk): boolean => {
      if (chunk === null) {
        passOn();
        return push(null);
      }
      if (chunks.push(chunk) === mostWaiting || chunk.length > smallBytes) {
        return passOn();
      }
      if (chunks.length === 1) {
        setImmediate(passOnLater);
      }
      return true;
    };
  });
}
