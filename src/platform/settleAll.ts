import { messageOf } from './errors';

/** Values that promises resolve to. */
type Settled<T extends readonly Promise<unknown>[]> = {-readonly [K in keyof T]: Awaited<T[K]> };

/**
 * Waits for all of them, so that a failed start reports every mistake at once.
 *
 * @throws What the one that failed has thrown; an error with the messages of all when several failed.
 */
export async function settleAll<const T extends readonly Promise<unknown>[]>(work: T): Promise<Settled<T>> {
  const outcomes = await Promise.allSettled(work);
  const failures = outcomes.filter((outcome): outcome is PromiseRejectedResult => outcome.status === 'rejected');
  if (failures.length > 1) {
    const reasons = failures.map(({ reason }): unknown => reason);
    throw new Error(reasons.map(messageOf).join('\n'), { cause: reasons });
  }
  // Has each value, or throws what the one that failed has thrown.
  return Promise.all(work);
}
