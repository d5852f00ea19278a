import type { Caller } from '../tokens/Caller';
import type { JsonAnswer } from '../http/Answer';
import { created, ok } from '../http/Answer';
import type { Call } from '../http/Operation';
import type { WebIdWithPod } from '../identity/PodHost';
import { PIM } from '../vocabulary';
import type { Services } from './Services';

type CitizenCall = Call<{ caller: Caller }>;

/** The citizen's WebID. */
export async function getWebId({ caller, context }: CitizenCall, { webIds }: Services): Promise<JsonAnswer> {
  return answer(ok, await webIds.get(caller, context));
}

/** The citizen's WebID, made or linked when there was none. */
export async function createWebId({ caller, context }: CitizenCall, { webIds }: Services): Promise<JsonAnswer> {
  const result = await webIds.create(caller, context);
  return answer(result.created ? created : ok, result);
}

/** Removes the citizen's WebID and pod. */
export async function deleteWebId({ caller, context }: CitizenCall, { webIds }: Services): Promise<JsonAnswer> {
  return ok({ uri: await webIds.delete(caller, context) });
}

/** The profile of a WebID that the citizen had before may not name the pod: the header does. */
function answer(make: typeof ok, { podUrl, webId }: WebIdWithPod): JsonAnswer {
  const { headers, ...rest } = make({ uri: webId });
  return { ...rest, headers: { ...headers, Link: `<${podUrl}>; rel="${PIM.storage}"` }};
}
