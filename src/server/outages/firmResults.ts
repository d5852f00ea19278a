import type { AsyncHandler } from '@solid/community-server';
import { isOutage } from '../../platform/outage';

/**
 * Returns the results of the handlers that can handle the input and succeed.
 *
 * @throws The error of a handler that is unavailable now: its result might be decisive.
 */
export async function firmResults<TIn, TOut>(handlers: AsyncHandler<TIn, TOut>[], input: TIn): Promise<TOut[]> {
  const outcomes = await Promise.allSettled(handlers.map(async(each): Promise<TOut> => each.handleSafe(input)));
  const results: TOut[] = [];
  for (const outcome of outcomes) {
    if (outcome.status === 'fulfilled') {
      results.push(outcome.value);
    } else if (isOutage(outcome.reason)) {
      throw outcome.reason;
    }
  }
  return results;
}
