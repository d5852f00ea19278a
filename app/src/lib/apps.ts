import { addressText, cleanName } from './asked';

/**
 * Returns the name that an app gives itself, else its address.
 *
 * @param clientId - Its client id: only an address tells a reader something.
 * @param name - The name that it gives itself.
 */
export function nameOfApp(clientId: string, name = ''): string | undefined {
  const clean = cleanName(name);
  return clean === '' ? addressOf(clientId) : clean;
}

/** Returns the address of an app, if its client id is one. */
export function addressOf(clientId: string): string | undefined {
  return /^https?:/u.test(clientId) ? addressText(clientId) : undefined;
}
