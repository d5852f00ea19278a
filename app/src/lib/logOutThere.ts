import { askProvider } from './askProvider';

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
  const { location: there, name } = await askProvider<Partial<LogOutThere>>(issuer, '.account/logout/', {}) ?? {};
  const isOffered = there !== undefined && name !== undefined && /^https?:\/\//u.test(there);
  return isOffered ? { name, location: there } : undefined;
}
