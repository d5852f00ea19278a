import type { RepresentationPreferences } from '@solid/community-server';

/** Preferences of requests whose response may be the index page of a container. Each request has its own object. */
const permitted = new WeakSet<RepresentationPreferences>();

/** Permits the index page as the response to a request for a container. */
export function permitIndexPage(preferences: RepresentationPreferences): void {
  permitted.add(preferences);
}

/** Checks whether the index page is permitted as the response to a request for a container. */
export function isIndexPagePermitted(preferences: RepresentationPreferences): boolean {
  return permitted.has(preferences);
}
