import { MetadataParser, parseContentType, UnsupportedMediaTypeHttpError } from '@solid/community-server';
import type { HttpRequest, RepresentationMetadata } from '@solid/community-server';
import { isInternalType } from './internalTypes';
import { inLowerCase } from './mediaTypes';

/**
 * Parses the media type of a body. From here on, types have a canonical spelling, and none is internal to the server or
 * a range of types, with an asterisk: bytes never have such a type, and a resource stored with one could not be read.
 */
export class MediaTypeParser extends MetadataParser {
  /** @throws UnsupportedMediaTypeHttpError */
  public async handle(
    { request, metadata }: { request: HttpRequest; metadata: RepresentationMetadata },
  ): Promise<void> {
    const header = request.headers['content-type'];
    if (header) {
      const type = inLowerCase(parseContentType(header));
      if (isInternalType(type.value) || type.value.includes('*')) {
        throw new UnsupportedMediaTypeHttpError('No body can be of this media type.');
      }
      metadata.contentTypeObject = type;
    }
  }
}
