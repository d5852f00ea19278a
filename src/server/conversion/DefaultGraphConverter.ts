import {
  getConversionTarget,
  INTERNAL_QUADS,
  QuadToRdfConverter,
  SOLID_META,
  transformSafely,
} from '@solid/community-server';
import type { Representation, RepresentationConverterArgs } from '@solid/community-server';
import type { Quad } from '@rdfjs/types';
import { giveWay, isOverdue } from '../../platform/giveWay';
import { shortenIrisQuickly } from './shortenIrisQuickly';

/** Formats that have named graphs. */
const withGraphs = new Set([ 'application/ld+json', 'application/n-quads', 'application/trig' ]);

/**
 * Writes RDF as the server does, but only the default graph in formats without named graphs. The server writes all
 * graphs, which makes invalid Turtle of a document with a named graph, such as a credential with its proof. Other work
 * of the process runs between the quads.
 */
export class DefaultGraphConverter extends QuadToRdfConverter {
  /**
   * @param outputPreferences - Preference of each format.
   */
  public constructor(outputPreferences: Record<string, number>) {
    super({ outputPreferences });
    shortenIrisQuickly();
  }

  public override async handle(args: RepresentationConverterArgs): Promise<Representation> {
    const { preferences, representation } = args;
    const type = getConversionTarget(await this.getOutputTypes(INTERNAL_QUADS), preferences.type);
    const hasGraphs = type === undefined || withGraphs.has(type);
    representation.data = transformSafely<Quad>(representation.data, {
      objectMode: true,
      async transform(quad: Quad): Promise<void> {
        if (isOverdue()) {
          await giveWay();
        }
        // The server's own statements about the resource move to the default graph.
        if (hasGraphs || quad.graph.termType === 'DefaultGraph' ||
          quad.graph.equals(SOLID_META.terms.ResponseMetadata)) {
          this.push(quad);
        }
      },
    });
    return super.handle(args);
  }
}
