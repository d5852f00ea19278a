import { UnsupportedMediaTypeHttpError } from '@solid/community-server';
import type { MediaType } from '../media/mediaTypes';

/** The contexts of subscriptions, which name their profile, and the forms of JSON-LD, all of which are read. */
const known = new Set([
  'https://www.w3.org/ns/solid/notification/v1',
  'https://www.w3.org/ns/solid/notifications-context/v1',
  'http://www.w3.org/ns/json-ld#compacted',
  'http://www.w3.org/ns/json-ld#expanded',
  'http://www.w3.org/ns/json-ld#flattened',
]);

/**
 * Refuses a subscription with a profile that the server does not know.
 *
 * @throws UnsupportedMediaTypeHttpError
 *
 * @see [Solid Notifications Protocol, section 2.2](https://solidproject.org/TR/notifications-protocol#subscription)
 */
export function requireProfile(type?: MediaType): void {
  const profiles = type?.parameters.profile?.split(/\s+/u) ?? [];
  if (!profiles.every((profile): boolean => profile === '' || known.has(profile))) {
    throw new UnsupportedMediaTypeHttpError('The server does not know this profile of subscriptions.');
  }
}
