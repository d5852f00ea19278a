import { cloudEvent } from '../events/Event';
import type { JsonAnswer } from '../http/Answer';
import { ok } from '../http/Answer';
import type { Call } from '../http/Operation';
import type { WebIdCaller } from '../tokens/Caller';
import type { Services } from './Services';

const defaultLimit = 100;

/** Lists the caller's events after a cursor. */
export async function listEvents(
  { caller, query, url }: Call<{ caller: WebIdCaller; query: { after?: string; limit?: number }}>,
  { eventFeed }: Services,
): Promise<JsonAnswer> {
  const { events, hasMore, next } = await eventFeed.list(caller.webId, query.after, query.limit ?? defaultLimit);
  const following = new URL(url);
  following.searchParams.set('after', next);
  return ok({
    events: events.map((event): object => cloudEvent(event, eventFeed.url)),
    next: following.href,
    more: hasMore,
  });
}
