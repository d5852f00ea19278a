import { MetadataWriter, SOLID_ERROR } from '@solid/community-server';
import type { HttpResponse, RepresentationMetadata } from '@solid/community-server';
import { keepAllowed } from './keepAllowed';
import { targetOf } from './targetOf';

/** Paths of the server itself, where nobody makes resources. */
const ownPaths = /^\/\.(?:account|internal|notifications|oidc)\//u;

/**
 * Names no methods of documents in the `Allow` header of errors at paths of the server itself. The server writes it by
 * the name of the target alone, as if it were in a pod.
 *
 * @see [RFC 9110, section 10.2.1](https://www.rfc-editor.org/rfc/rfc9110#section-10.2.1)
 */
export class OwnPathAllowWriter extends MetadataWriter {
  private readonly source: MetadataWriter;

  /**
   * @param source - Writes the header.
   */
  public constructor(source: MetadataWriter) {
    super();
    this.source = source;
  }

  public async handle(input: { response: HttpResponse; metadata: RepresentationMetadata }): Promise<void> {
    await this.source.handleSafe(input);
    const { metadata, response } = input;
    const target = metadata.get(SOLID_ERROR.terms.target) ? targetOf(metadata) : undefined;
    if (target !== undefined && ownPaths.test(new URL(target).pathname)) {
      keepAllowed(response, (method): boolean =>
        method !== 'PATCH' && method !== 'PUT' && (method !== 'DELETE' || !target.endsWith('/')));
    }
  }
}
