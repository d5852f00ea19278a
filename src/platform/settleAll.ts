import { messageOf } from './errors';

/** Values that promises resolve to. */
type Settled<T extends readonly Promise<unknown>[]> = {-readonly [K in keyof T]: Awaited<T[K]> };

/**
 * Waits for all promises to settle, so that a failed start reports every mistake at once.
 *
 * @throws The error of the one that failed, or an error with all messages when several failed.
 */
export async function settleAll<const T extends readonly Promise<unknown>[]>(work: T): Promise<Settled<T>> {
  const outcomes = await Promise.allSettled(work);
  const failures = outcomes.filter((outcome): outcome is PromiseRejectedResult => outcome.status === 'rejected');
  if (failures.length > 1) {
    const reasons = failures.map(({ reason }): unknown => reason);
    throw new Error(reasons.map(messageOf).join('\n'), { cause: reasons });
  }
  // All have settled: returns the values, or throws the error of the only failure.
  return Promise.all(work);
}
