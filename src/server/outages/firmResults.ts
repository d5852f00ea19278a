import type { AsyncHandler } from '@solid/community-server';
import { isOutage } from '../../platform/outage';

/**
 * Returns the results of those handlers that can handle the input and find no mistake in it.
 *
 * @throws The failure of one that can't answer now: its result may be the one that decides.
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
