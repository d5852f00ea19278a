import type { IncomingMessage, ServerResponse } from 'node:http';

/** Admits clients to the server: limits by address. */
export interface ClientGate {
  /** Key under which the address of a request is counted; none where it isn't known. */
  addressOf: (request: IncomingMessage) => string | undefined;
  /**
   * Counts a request, and says so in the headers of its answer.
   *
   * @returns True when it is to be refused.
   */
  refuses: (request: IncomingMessage, response: ServerResponse) => boolean;
}
