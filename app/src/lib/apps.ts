import { cleanName } from './asked';

/**
 * What an app is called: by itself, else by its address.
 *
 * @param clientId - Only an address says something to a reader.
 * @param name - That it gives itself.
 */
export function nameOfApp(clientId: string, name = ''): string | undefined {
  const clean = cleanName(name);
  return clean === '' ? addressOf(clientId) : clean;
}

/** Address of an app, if its client id is one. */
export function addressOf(clientId: string): string | undefined {
  return /^https?:/u.test(clientId) ? clientId : undefined;
}
