import type { ResourceIdentifier } from '@solid/community-server';
import { findResourceUri } from '../../pods/resourceUri';
import type { ResourceUri } from '../../pods/resourceUri';

const parsed = new WeakMap<ResourceIdentifier, ResourceUri | undefined>();

/**
 * Returns the canonical URI of a pod resource; undefined for any other resource. Parses each identifier once, however
 * many parts of the server handle its request.
 */
export function resourceUriOf(identifier: ResourceIdentifier, baseUrl: string): ResourceUri | undefined {
  if (!parsed.has(identifier)) {
    parsed.set(identifier, findResourceUri(identifier.path, baseUrl));
  }
  return parsed.get(identifier);
}
