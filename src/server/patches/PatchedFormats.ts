import { ConflictHttpError, NotImplementedHttpError, RepresentationConverter } from '@solid/community-server';
import type { Representation, RepresentationConverterArgs } from '@solid/community-server';

/**
 * Reads documents to patch them, and writes them again. A patch of a document that is no RDF, or in RDF/XML, which the
 * server does not write, is in conflict with it: the server responds that it does not implement the method.
 *
 * @see [RFC 5789, section 2.2](https://www.rfc-editor.org/rfc/rfc5789#section-2.2)
 */
export class PatchedFormats extends RepresentationConverter {
  private readonly source: RepresentationConverter;

  /**
   * @param source - Converts documents.
   */
  public constructor(source: RepresentationConverter) {
    super();
    this.source = source;
  }

  public override async canHandle(args: RepresentationConverterArgs): Promise<void> {
    return this.source.canHandle(args);
  }

  public async handle(args: RepresentationConverterArgs): Promise<Representation> {
    try {
      return await this.source.handle(args);
    } catch (error: unknown) {
      throw NotImplementedHttpError.isInstance(error) ?
          new ConflictHttpError('The document is not in a format of RDF that can be patched.', { cause: error }) :
        error;
    }
  }
}
