import type { IncomingMessage, ServerResponse } from 'node:http';

/** Limits requests of clients by address. */
export interface ClientGate {
  /** Returns the key under which the address of a request is counted; undefined when the address is unknown. */
  addressOf: (request: IncomingMessage) => string | undefined;
  /**
   * Counts a request, and reports the count in the headers of its response.
   *
   * @returns True when the request must be refused.
   */
  refuses: (request: IncomingMessage, response: ServerResponse) => boolean;
}
