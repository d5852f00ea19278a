import { SOLID_HTTP } from '@solid/community-server';
import type { JsonInteractionHandlerInput } from '@solid/community-server';

/** The log-in that an interaction comes with. */
export function cookieOf({ metadata }: JsonInteractionHandlerInput): string | undefined {
  return metadata.get(SOLID_HTTP.terms.accountCookie)?.value;
}
