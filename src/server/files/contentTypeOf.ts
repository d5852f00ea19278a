import type { RepresentationMetadata } from '@solid/community-server';

/** Returns the content type of a resource as in responses, including parameters such as the character set. */
export function contentTypeOf(metadata: RepresentationMetadata): string {
  return metadata.contentTypeObject?.toHeaderValueString() ?? 'application/octet-stream';
}
