import type { RepresentationPreferences } from '@solid/community-server';

/** Preferences of requests that may be answered with the index page of a container: each request has its own. */
const permitted = new WeakSet<RepresentationPreferences>();

/** Lets a request for a container be answered with its index page. */
export function permitIndexPage(preferences: RepresentationPreferences): void {
  permitted.add(preferences);
}

/** Checks whether a request for a container may be answered with its index page. */
export function isIndexPagePermitted(preferences: RepresentationPreferences): boolean {
  return permitted.has(preferences);
}
