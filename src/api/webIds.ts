import type { Caller } from '../tokens/Caller';
import type { JsonAnswer } from '../http/Answer';
import { created, ok } from '../http/Answer';
import type { Call } from '../http/Operation';
import type { WebIdWithPod } from '../identity/PodHost';
import { PIM } from '../vocabulary';
import type { Services } from './Services';

type CitizenCall = Call<{ caller: Caller }>;

/** Returns the citizen's WebID. */
export async function getWebId({ caller, context }: CitizenCall, { webIds }: Services): Promise<JsonAnswer> {
  return answer(ok, await webIds.get(caller, context));
}

/** Returns the citizen's WebID, and creates or links one if there is none. */
export async function createWebId({ caller, context }: CitizenCall, { webIds }: Services): Promise<JsonAnswer> {
  const result = await webIds.create(caller, context);
  return answer(result.created ? created : ok, result);
}

/** Removes the citizen's WebID and pod. */
export async function deleteWebId({ caller, context }: CitizenCall, { webIds }: Services): Promise<JsonAnswer> {
  return ok({ uri: await webIds.delete(caller, context) });
}

/** Names the pod in a header, because a linked WebID's profile may not. */
function answer(make: typeof ok, { podUrl, webId }: WebIdWithPod): JsonAnswer {
  const { headers, ...rest } = make({ uri: webId });
  return { ...rest, headers: { ...headers, Link: `<${podUrl}>; rel="${PIM.storage}"` }};
}
