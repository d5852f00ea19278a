import type { BusinessKeyQuestion } from '../verification/BusinessKeyService';
import type { JsonAnswer } from '../http/Answer';
import { ok } from '../http/Answer';
import type { Call } from '../http/Operation';
import type { WebIdCaller } from '../tokens/Caller';
import type { Services } from './Services';

/** Checks whether the subject of an access grant is the citizen with a business key. */
export async function verifyBusinessKey(
  { caller, body, context }: Call<{ caller: WebIdCaller; body: BusinessKeyQuestion }>,
  { businessKeys }: Services,
): Promise<JsonAnswer> {
  return ok({ valid: await businessKeys.verify(body, caller.webId, context) });
}
