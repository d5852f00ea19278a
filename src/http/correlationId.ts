const uuid = /^[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}$/iu;

/** Checks whether `X-Correlation-Id` is one UUID, which is then used and returned. */
export function isCorrelationId(given: string | string[] | undefined): given is string {
  return typeof given === 'string' && uuid.test(given);
}
