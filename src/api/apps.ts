import { createHash } from 'node:crypto';
import type { JsonAnswer } from '../http/Answer';
import { ok } from '../http/Answer';
import type { Call, WebIdCaller } from '../http/Operation';
import type { AppLogin } from '../identity/AppLogins';
import { AppNotFound } from '../problems';
import type { Services } from './Services';

/** Lists the apps that may act as the caller. */
export async function listApps(
  { caller }: Call<{ caller: WebIdCaller }>,
  { appLogins }: Services,
): Promise<JsonAnswer> {
  return ok({ apps: (await appLogins.list(caller.webId)).map(describe) });
}

/** Logs the caller out of an app, everywhere. */
export async function logOutApp(
  { caller, params: { appId }}: Call<{ caller: WebIdCaller; params: 'appId' }>,
  { appLogins }: Services,
): Promise<JsonAnswer> {
  const clientId = (await appLogins.listClientIds(caller.webId)).find((each): boolean => idOf(each) === appId);
  if (clientId === undefined) {
    throw new AppNotFound('The caller has not logged in to such an app.');
  }
  await appLogins.end(caller.webId, clientId);
  return ok({ id: appId });
}

function describe({ clientId, lastUsedAt, name, since }: AppLogin): object {
  return {
    id: idOf(clientId),
    clientId,
    ...name !== undefined && { name },
    since: since.toISOString(),
    lastUsedAt: lastUsedAt.toISOString(),
  };
}

/** Represents a client id in a path: many client ids are URLs, which a path segment cannot hold. */
function idOf(clientId: string): string {
  return createHash('sha256').update(clientId).digest('base64url');
}
