import { logInToAccount } from '../../demo/lib/accounts';
import { json } from './sharingWorld';

/**
 * Deletes client credentials of an account, as its holder does.
 *
 * @param base - Base URL of the server.
 * @param name - Name of the account, as given to `accountWithPod`.
 * @param id - Id of the client credentials.
 *
 * @returns The status of the response.
 */
export async function removeCredentials(base: string, name: string, id: string): Promise<number> {
  const account = await logInToAccount(base, { email: `${name}@example.org`, password: `password of ${name}` });
  const headers = { accept: 'application/json', authorization: account.authorization };
  const { controls } = await json<{ controls: { account: { clientCredentials: string }}}>(
    await fetch(account.index, { headers }),
  );
  const { clientCredentials } = await json<{ clientCredentials: Record<string, string> }>(
    await fetch(controls.account.clientCredentials, { headers }),
  );
  return (await fetch(clientCredentials[id], { method: 'DELETE', headers })).status;
}
