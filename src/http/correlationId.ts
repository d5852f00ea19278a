import { isUuid } from '../platform/uuid';

/** Checks whether `X-Correlation-Id` is one UUID, which is then used and returned. */
export function isCorrelationId(given: string | string[] | undefined): given is string {
  return typeof given === 'string' && isUuid(given);
}
