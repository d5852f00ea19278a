import type { JsonAnswer } from '../http/Answer';
import { ok } from '../http/Answer';
import type { Call, Parameter, ValuesOf } from '../http/Operation';
import type { WebIdCaller } from '../tokens/Caller';
import { nextUrl, pageParameters } from './paging';
import type { Services } from './Services';

const defaultLimit = 50;

/** Query parameters of a citizen's activity. */
export const activityParameters = {
  after: pageParameters.cursor,
  limit: pageParameters.limit,
  reads: {
    schema: { type: 'boolean' },
    description: 'True for only what was seen: data read or listed, and business keys.',
  },
} as const satisfies Record<string, Parameter>;

/** Lists what happened to the citizen's own data, one page at a time. */
export async function listActivity(
  call: Call<{ caller: WebIdCaller; query: ValuesOf<typeof activityParameters> }>,
  { activity, citizens }: Services,
): Promise<JsonAnswer> {
  const { id } = await citizens.getByWebId(call.caller);
  const { after, limit = defaultLimit, reads } = call.query;
  const page = await activity.list(id, { after, limit, reads });
  return ok({ activities: page.activities, next: nextUrl(call, page.next, 'after') });
}
