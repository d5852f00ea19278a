import type { RepresentationMetadata } from '@solid/community-server';
import { mediaTypeHeader } from '../media/mediaTypes';

/** Returns the content type of a resource as in responses, including parameters such as the character set. */
export function contentTypeOf(metadata: RepresentationMetadata): string {
  const type = metadata.contentTypeObject;
  return type ? mediaTypeHeader(type) : 'application/octet-stream';
}
