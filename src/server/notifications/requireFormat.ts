import { APPLICATION_LD_JSON, BasicRepresentation, matchesMediaPreferences } from '@solid/community-server';
import type { Operation, RepresentationConverter } from '@solid/community-server';

/**
 * Refuses a request whose `Accept` leaves no form for a response in JSON-LD, before anything is done for it: the server
 * converts a response only once the subscription is made, which would count without its client knowing it.
 *
 * @param converter - Converts what is sent.
 * @param operation - The request.
 *
 * @throws HttpError 406
 */
export async function requireFormat(converter: RepresentationConverter, operation: Operation): Promise<void> {
  const { preferences, target: identifier } = operation;
  if (!matchesMediaPreferences(APPLICATION_LD_JSON, preferences.type)) {
    const representation = new BasicRepresentation('{}', identifier, APPLICATION_LD_JSON);
    (await converter.handleSafe({ identifier, representation, preferences })).data.destroy();
  }
}
