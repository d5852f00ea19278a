import type { Caller } from '../tokens/Caller';
import type { JsonAnswer } from '../http/Answer';
import { created, ok } from '../http/Answer';
import type { Call } from '../http/Operation';
import type { Services } from './Services';

type CitizenCall = Call<{ caller: Caller }>;

/** The citizen's WebID. */
export async function getWebId({ caller, context }: CitizenCall, { webIds }: Services): Promise<JsonAnswer> {
  return ok({ uri: await webIds.get(caller, context) });
}

/** The citizen's WebID, made when there was none. */
export async function createWebId({ caller, context }: CitizenCall, { webIds }: Services): Promise<JsonAnswer> {
  const result = await webIds.create(caller, context);
  return (result.created ? created : ok)({ uri: result.webId });
}

/** Removes the citizen's WebID and pod. */
export async function deleteWebId({ caller, context }: CitizenCall, { webIds }: Services): Promise<JsonAnswer> {
  return ok({ uri: await webIds.delete(caller, context) });
}
