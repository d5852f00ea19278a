import {
  BaseTypedRepresentationConverter,
  BasicRepresentation,
  INTERNAL_QUADS,
  transformSafely,
} from '@solid/community-server';
import type { Representation, RepresentationConverterArgs } from '@solid/community-server';
import type { Quad } from '@rdfjs/types';
import { giveWay, isOverdue } from '../../platform/giveWay';
import { RdfXmlWriter } from './RdfXmlWriter';

const rdfXml = 'application/rdf+xml';

/** Writes the default graph as RDF/XML, which the server only reads, so that documents in it can be patched. */
export class QuadToRdfXmlConverter extends BaseTypedRepresentationConverter {
  public constructor() {
    super(INTERNAL_QUADS, rdfXml);
  }

  public async handle({ representation }: RepresentationConverterArgs): Promise<Representation> {
    const writer = new RdfXmlWriter();
    let begun = writer.begin();
    const data = transformSafely<Quad>(representation.data, {
      writableObjectMode: true,
      async transform(quad: Quad): Promise<void> {
        if (isOverdue()) {
          await giveWay();
        }
        if (quad.graph.termType === 'DefaultGraph') {
          this.push(begun + writer.write(quad));
          begun = '';
        }
      },
      flush(): void {
        this.push(begun + writer.end());
      },
    });
    return new BasicRepresentation(data, representation.metadata, rdfXml);
  }
}
