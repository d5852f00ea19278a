import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Mounted } from './mount';
import type { LoggedRefusal } from './requestLog';

/** One request, its response, and the state of handling it. */
export interface Exchange {
  request: IncomingMessage;
  response: ServerResponse;
  correlationId: string;
  /** `.access` or `v1`, as the path begins. */
  root: string;
  /** The operation that was asked for, once it is found. */
  mounted?: Mounted;
  /** Facts for the log about an answer that is no success. */
  refusal?: LoggedRefusal;
}
