import type { Caller } from '../tokens/Caller';
import type { JsonAnswer } from '../http/Answer';
import { created, ok } from '../http/Answer';
import { asksForExistence, assertExistence } from '../http/conditional';
import type { Call } from '../http/Operation';
import type { WebIdWithPod } from '../identity/PodHost';
import { WebIdNotFound } from '../problems';
import { PIM } from '../vocabulary';
import type { Services } from './Services';

type CitizenCall = Call<{ caller: Caller }>;

/** Returns the citizen's WebID. */
export async function getWebId({ caller, context }: CitizenCall, { webIds }: Services): Promise<JsonAnswer> {
  return answer(ok, await webIds.get(caller, context));
}

/** Returns the citizen's WebID, and creates or links one if there is none, as far as the conditions allow. */
export async function createWebId(
  { caller, context, headers }: CitizenCall,
  { webIds }: Services,
): Promise<JsonAnswer> {
  if (asksForExistence(headers)) {
    assertExistence(headers, await hasWebId(webIds.get(caller, context)));
  }
  const result = await webIds.create(caller, context);
  // Another request may have created it meanwhile.
  assertExistence({ 'if-none-match': headers['if-none-match'] }, !result.created);
  return answer(result.created ? created : ok, result);
}

/** Removes the citizen's WebID and pod. */
export async function deleteWebId({ caller, context }: CitizenCall, { webIds }: Services): Promise<JsonAnswer> {
  return ok({ uri: await webIds.delete(caller, context) });
}

async function hasWebId(got: Promise<unknown>): Promise<boolean> {
  try {
    await got;
    return true;
  } catch (error: unknown) {
    if (error instanceof WebIdNotFound) {
      return false;
    }
    throw error;
  }
}

/** Names the pod in a header, because a linked WebID's profile may not. */
function answer(make: typeof ok, { podUrl, webId }: WebIdWithPod): JsonAnswer {
  const { headers, ...rest } = make({ uri: webId });
  return { ...rest, headers: { ...headers, Link: `<${podUrl}>; rel="${PIM.storage}"` }};
}
