import { MetadataWriter } from '@solid/community-server';
import type { HttpResponse, RepresentationMetadata } from '@solid/community-server';
import { mediaTypeHeader } from './mediaTypes';

/** Writes the media type of a response, with quotes around the values of parameters that need them. */
export class MediaTypeWriter extends MetadataWriter {
  public async handle(
    { response, metadata }: { response: HttpResponse; metadata: RepresentationMetadata },
  ): Promise<void> {
    const type = metadata.contentTypeObject;
    if (type) {
      response.setHeader('Content-Type', mediaTypeHeader(type));
    }
  }
}
