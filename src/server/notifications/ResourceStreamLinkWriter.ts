import type { MetadataWriterInput } from '@solid/community-server';
import { StreamingHttpMetadataWriter } from '@solid/community-server';

/**
 * Links a resource to its notification stream. Responses that describe no resource, such as those to writes and errors,
 * get no link: the library links them to the stream of a blank node, which is 400.
 */
export class ResourceStreamLinkWriter extends StreamingHttpMetadataWriter {
  public override async handle(input: MetadataWriterInput): Promise<void> {
    if (input.metadata.identifier.termType === 'NamedNode') {
      await super.handle(input);
    }
  }
}
