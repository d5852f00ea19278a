import { SOLID_HTTP } from '@solid/community-server';
import type { JsonInteractionHandlerInput } from '@solid/community-server';

/** Returns the log-in cookie of an interaction. */
export function cookieOf({ metadata }: JsonInteractionHandlerInput): string | undefined {
  return metadata.get(SOLID_HTTP.terms.accountCookie)?.value;
}
