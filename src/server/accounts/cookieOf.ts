import { SOLID_HTTP } from '@solid/community-server';
import type { Representation } from '@solid/community-server';

/** Returns the log-in cookie of an interaction, or of its body. */
export function cookieOf({ metadata }: Pick<Representation, 'metadata'>): string | undefined {
  return metadata.get(SOLID_HTTP.terms.accountCookie)?.value;
}
