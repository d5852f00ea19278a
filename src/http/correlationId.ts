import type { IncomingMessage, ServerResponse } from 'node:http';
import type { NewId } from '../platform/clock';
import { isUuid } from '../platform/uuid';

/** Name of the header. */
const header = 'X-Correlation-Id';

/** Checks whether a request has a valid correlation id, which is one UUID, or none. */
export function isIdentifiable({ headers }: Pick<IncomingMessage, 'headers'>): boolean {
  const given = headers['x-correlation-id'];
  return given === undefined || isCorrelationId(given);
}

/** Sets the correlation id of a response, unless it has one: that of the request if it is valid, or a new one. */
export function identify(request: IncomingMessage, response: ServerResponse, newId: NewId): string {
  const given = response.getHeader(header) ?? request.headers['x-correlation-id'];
  const correlationId = isCorrelationId(given) ? given : newId();
  response.setHeader(header, correlationId);
  return correlationId;
}

/** Returns the correlation id in the headers of a response, which is set before anything else. */
export function correlationIdOf(response: Pick<ServerResponse, 'getHeader'>): string | undefined {
  const id = response.getHeader(header);
  return typeof id === 'string' ? id : undefined;
}

function isCorrelationId(given: unknown): given is string {
  return typeof given === 'string' && isUuid(given);
}
