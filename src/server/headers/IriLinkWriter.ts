import { addHeader, MetadataWriter } from '@solid/community-server';
import type { HttpResponse, RepresentationMetadata } from '@solid/community-server';
import { DataFactory } from 'n3';
import { hasHalfCharacter } from '../../platform/hasHalfCharacter';

/** Characters that no URI has. */
const unfit = /[^\u0021-\u007E]|["<>\\^`{|}]/gu;

/**
 * Writes `Link` headers for statements of descriptions: IRIs as URIs, and nothing else. The server's own writer also
 * writes the text of literals, which could add links such as one to other access rules, and fails on characters outside
 * ASCII, so that the resource cannot be read.
 *
 * @see [RFC 8288, section 3.1](https://www.rfc-editor.org/rfc/rfc8288#section-3.1)
 * @see [RFC 3987, section 3.1](https://www.rfc-editor.org/rfc/rfc3987#section-3.1)
 */
export class IriLinkWriter extends MetadataWriter {
  private readonly relations: Record<string, string>;

  /** @param relations - Types of links by the IRI of their predicate. */
  public constructor(relations: Record<string, string>) {
    super();
    this.relations = relations;
  }

  public async handle(
    { response, metadata }: { response: HttpResponse; metadata: RepresentationMetadata },
  ): Promise<void> {
    for (const [ predicate, relation ] of Object.entries(this.relations)) {
      const links = metadata.getAll(DataFactory.namedNode(predicate))
        .filter(({ termType, value }): boolean => termType === 'NamedNode' && !hasHalfCharacter(value))
        .map(({ value }): string => `<${value.replaceAll(unfit, encodeURIComponent)}>; rel="${relation}"`);
      if (links.length > 0) {
        addHeader(response, 'Link', links);
      }
    }
  }
}
