import { MetadataWriter, NotFoundHttpError, SOLID_ERROR } from '@solid/community-server';
import type {
  AuxiliaryIdentifierStrategy,
  HttpResponse,
  RepresentationMetadata,
} from '@solid/community-server';
import { keepAllowed } from './keepAllowed';
import { targetOf } from './targetOf';

/** Formats of descriptions that a client may rely on. */
const rdf = 'text/turtle, application/ld+json';

/**
 * Names PUT, and not DELETE, in the `Allow` header of descriptions, in responses with errors, too. The server itself
 * has them changed by PATCH only. Where there is none, no method makes one.
 */
export class DescriptionAllowWriter extends MetadataWriter {
  private readonly source: MetadataWriter;
  private readonly metadataStrategy: AuxiliaryIdentifierStrategy;

  /**
   * @param source - Writes the headers of other resources.
   * @param metadataStrategy - Recognises descriptions.
   */
  public constructor(source: MetadataWriter, metadataStrategy: AuxiliaryIdentifierStrategy) {
    super();
    this.source = source;
    this.metadataStrategy = metadataStrategy;
  }

  public async handle(input: { response: HttpResponse; metadata: RepresentationMetadata }): Promise<void> {
    await this.source.handleSafe(input);
    const { metadata, response } = input;
    const path = targetOf(metadata);
    const allowed = response.getHeader('allow');
    if (typeof allowed !== 'string' || !this.metadataStrategy.isAuxiliaryIdentifier({ path })) {
      return;
    }
    if (metadata.has(SOLID_ERROR.terms.errorResponse, NotFoundHttpError.uri)) {
      keepAllowed(response, (): boolean => false);
    } else {
      const methods = new Set(allowed.split(', ')).add('PUT');
      methods.delete('DELETE');
      response.setHeader('Allow', [ ...methods ].join(', '));
      response.setHeader('Accept-Put', rdf);
    }
  }
}
