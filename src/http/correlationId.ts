import type { ServerResponse } from 'node:http';

const uuid = /^[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}$/iu;

/** Checks whether `X-Correlation-Id` is one UUID, which is then used and returned. */
export function isCorrelationId(given: string | string[] | undefined): given is string {
  return typeof given === 'string' && uuid.test(given);
}

/** The correlation id in the headers of a response, where it stands before anything else is done. */
export function correlationIdOf(response: Pick<ServerResponse, 'getHeader'>): string | undefined {
  const id = response.getHeader('X-Correlation-Id');
  return typeof id === 'string' ? id : undefined;
}
