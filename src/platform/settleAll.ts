/** Values that promises resolve to. */
type Settled<T extends readonly Promise<unknown>[]> = {-readonly [K in keyof T]: Awaited<T[K]> };

/**
 * Waits for all of them, so that a failed start reports every mistake at once.
 *
 * @throws What the one that failed has thrown; an error with the messages of all when several failed.
 */
export async function settleAll<const T extends readonly Promise<unknown>[]>(work: T): Promise<Settled<T>> {
  const outcomes = await Promise.allSettled(work);
  const reasons = outcomes.flatMap((outcome): Error[] =>
    outcome.status === 'rejected' ? [ outcome.reason as Error ] : []);
  if (reasons.length > 1) {
    throw new Error(reasons.map(({ message }): string => message).join('\n'), { cause: reasons });
  }
  if (reasons.length === 1) {
    throw reasons[0];
  }
  return outcomes.map((outcome): unknown => (outcome as PromiseFulfilledResult<unknown>).value) as Settled<T>;
}
