import type { JsonAnswer } from '../http/Answer';
import { ok } from '../http/Answer';
import type { Call } from '../http/Operation';
import type { ListedApp } from '../identity/AppService';
import type { WebIdCaller } from '../tokens/Caller';
import type { Services } from './Services';

/** Lists the apps that may act as the caller. */
export async function listApps(
  { caller }: Call<{ caller: WebIdCaller }>,
  { apps }: Services,
): Promise<JsonAnswer> {
  return ok({ apps: (await apps.list(caller)).map(describe) });
}

/** Logs the caller out of an app, everywhere. */
export async function logOutApp(
  { caller, context, params: { appId }}: Call<{ caller: WebIdCaller; params: 'appId' }>,
  { apps }: Services,
): Promise<JsonAnswer> {
  await apps.logOut(caller, appId, context);
  return ok({ id: appId });
}

function describe({ clientId, id, lastUsedAt, name, since }: ListedApp): object {
  return {
    id,
    clientId,
    ...name !== undefined && { name },
    since: since.toISOString(),
    lastUsedAt: lastUsedAt.toISOString(),
  };
}
