import { askProvider } from './askProvider';

interface Answer {
  citizen?: { webId: string; name: string };
}

/**
 * Finds the name of the citizen of this browser, which only the identity provider knows, for the time of the log-in.
 *
 * @param issuer - The identity provider of these pages.
 * @param webId - WebID of the citizen who is logged in here.
 *
 * @returns Nothing when their log-in stated no name, or another citizen logged in meanwhile.
 */
export async function findCitizenName(issuer: string, webId: string): Promise<string | undefined> {
  const { citizen } = await askProvider<Answer>(issuer, '.account/login/national/') ?? {};
  return citizen?.webId === webId ? citizen.name : undefined;
}
