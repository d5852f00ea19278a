/** A national identity provider at which a citizen may still be logged in. */
export interface LogOutThere {
  name: string;
  /** URL that ends the log-in there. */
  location: string;
}

/**
 * Finds where the citizen of this browser can also log out, after logging out here. Offered once.
 *
 * @param issuer - The identity provider of these pages.
 *
 * @returns Nothing when they did not log in at a national provider, or it offers no log-out.
 */
export async function findLogOutThere(issuer: string): Promise<LogOutThere | undefined> {
  const url = new URL('.account/logout/', issuer);
  if (url.origin !== location.origin) {
    return;
  }
  const headers = { accept: 'application/json', 'content-type': 'application/json' };
  const response = await fetch(url, { method: 'POST', headers, body: '{}' });
  const { location: there, name } = response.ok ? await response.json() as Partial<LogOutThere> : {};
  const isOffered = there !== undefined && name !== undefined && /^https?:\/\//u.test(there);
  return isOffered ? { name, location: there } : undefined;
}
