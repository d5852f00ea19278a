import { getLoggerFor, MetadataParser, parseLinkHeader } from '@solid/community-server';
import type { HttpRequest, LinkRelObject, RepresentationMetadata } from '@solid/community-server';

/** Matches a target, a quoted text, or the beginning of a parameter, whose name is captured. */
const parts = /<[^>]*>|"(?:[^"\\]|\\.)*"|;\s*([^\s"<>,;=]+)\s*(?==)/gu;

/**
 * Reads the `Link` headers of a request as statements about its target. A relation type is found in any case, among
 * several, and by a parameter in any case; a link with an `anchor` is about something else. The server itself compares
 * the text of `rel`.
 *
 * @see [RFC 8288, section 3](https://www.rfc-editor.org/rfc/rfc8288#section-3)
 */
export class RelationsParser extends MetadataParser {
  private readonly logger = getLoggerFor(this);
  private readonly relations: Map<string, LinkRelObject>;

  /**
   * @param relations - Statements by relation type.
   */
  public constructor(relations: Record<string, LinkRelObject>) {
    super();
    this.relations = new Map(Object.entries(relations)
      .map(([ type, relation ]): [string, LinkRelObject] => [ type.toLowerCase(), relation ]));
  }

  public async handle(
    { metadata, request }: { request: HttpRequest; metadata: RepresentationMetadata },
  ): Promise<void> {
    const headers = [ request.headers.link ?? [] ].flat();
    for (const { parameters, target } of parseLinkHeader(headers.map(withLowerNames))) {
      const types: string[] = parameters.anchor === undefined ? parameters.rel?.toLowerCase().split(/\s+/u) ?? [] : [];
      for (const type of types) {
        this.relations.get(type)?.addToMetadata(target, metadata, this.logger);
      }
    }
  }
}

function withLowerNames(header: string): string {
  return header.replaceAll(parts, (part, name?: string): string =>
    name === undefined ? part : `;${name.toLowerCase()}`);
}
