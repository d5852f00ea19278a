import { getContainedResourceUrlAll, getSolidDataset } from '@inrupt/solid-client';
import { Session } from '@inrupt/solid-client-authn-node';
import type { ClientCredentials } from '../../demo/lib/tokens';

/** Logs the stock Solid client in by client credentials. */
export async function logInStockClient(
  oidcIssuer: string,
  { id, secret }: ClientCredentials,
  tokenType: 'DPoP' | 'Bearer' = 'DPoP',
): Promise<Session> {
  const session = new Session({ keepAlive: false });
  await session.login({ clientId: id, clientSecret: secret, oidcIssuer, tokenType });
  if (!session.info.isLoggedIn) {
    throw new Error(`The stock client could not log in at ${oidcIssuer}`);
  }
  return session;
}

/** Lists all resources in a container at any depth by the stock client, starting with the container. */
export async function listTree(container: string, session: Session): Promise<string[]> {
  const dataset = await getSolidDataset(container, { fetch: session.fetch });
  const found = [ container ];
  for (const url of getContainedResourceUrlAll(dataset)) {
    found.push(...url.endsWith('/') ? await listTree(url, session) : [ url ]);
  }
  return found;
}
