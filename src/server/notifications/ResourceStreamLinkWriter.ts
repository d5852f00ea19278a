import type { MetadataWriterInput } from '@solid/community-server';
import { LDP, RDF, StreamingHttpMetadataWriter } from '@solid/community-server';

/**
 * Links a resource to its notification stream. Responses that describe no resource get no link: the library links those
 * to writes and errors to the stream of a blank node, which is 400, and account pages to one that nobody may read.
 */
export class ResourceStreamLinkWriter extends StreamingHttpMetadataWriter {
  public override async handle(input: MetadataWriterInput): Promise<void> {
    if (input.metadata.has(RDF.terms.type, LDP.terms.Resource)) {
      await super.handle(input);
    }
  }
}
