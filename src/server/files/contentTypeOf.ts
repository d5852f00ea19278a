import type { RepresentationMetadata } from '@solid/community-server';

/** The content type of a resource as the server answers it, parameters such as a character set included. */
export function contentTypeOf(metadata: RepresentationMetadata): string {
  return metadata.contentTypeObject?.toHeaderValueString() ?? 'application/octet-stream';
}
