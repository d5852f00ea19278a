import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Mounted } from './mount';
import type { LoggedRefusal } from './requestLog';

/** One request, its response, and the state of handling it. */
export interface Exchange {
  request: IncomingMessage;
  response: ServerResponse;
  correlationId: string;
  /** Prefix of the path: `.access` or `v1`. */
  root: string;
  /** The requested operation, once found. */
  mounted?: Mounted;
  /** Log data for an unsuccessful response. */
  refusal?: LoggedRefusal;
}
