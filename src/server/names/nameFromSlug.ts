import { SOLID_HTTP, toCanonicalUriPath, trimTrailingSlashes } from '@solid/community-server';
import type { RepresentationMetadata } from '@solid/community-server';

/**
 * Returns the name that the server makes from the slug of a request; undefined without one. The slash of a container
 * comes from its type, not from the slug.
 *
 * @throws URIError when the slug has a malformed percent-encoding.
 */
export function nameFromSlug(metadata: RepresentationMetadata): string | undefined {
  const slug = metadata.get(SOLID_HTTP.terms.slug)?.value;
  return slug ? toCanonicalUriPath(trimTrailingSlashes(slug)) : undefined;
}
