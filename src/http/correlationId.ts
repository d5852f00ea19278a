import type { ServerResponse } from 'node:http';
import { isUuid } from '../platform/uuid';

/** Checks whether `X-Correlation-Id` is one UUID, which is then used and returned. */
export function isCorrelationId(given: string | string[] | undefined): given is string {
  return typeof given === 'string' && isUuid(given);
}

/** Returns the correlation id in the headers of a response, which is set before anything else. */
export function correlationIdOf(response: Pick<ServerResponse, 'getHeader'>): string | undefined {
  const id = response.getHeader('X-Correlation-Id');
  return typeof id === 'string' ? id : undefined;
}
