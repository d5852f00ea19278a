import { RDF, SOLID_META } from '@solid/community-server';
import type { AuxiliaryIdentifierStrategy, Operation } from '@solid/community-server';
import { DataFactory } from 'n3';

/**
 * Removes metadata from a request to write, such as that of `Link` headers, except the media type: a grant covers
 * content. The existing description of the resource stays.
 *
 * @param operation - Operation to change.
 * @param metadataStrategy - Recognises descriptions of resources.
 */
export function keepToContent(operation: Operation, metadataStrategy: AuxiliaryIdentifierStrategy): void {
  const { body: { metadata }, method, target } = operation;
  // Cast because the server and N3 have different types for this term.
  const said = metadata.quads(metadata.identifier as never).filter(({ object, predicate }): boolean =>
    object.termType === 'NamedNode' && !predicate.equals(RDF.terms.type));
  metadata.removeQuads(said);
  if (method === 'PUT') {
    const { path } = metadataStrategy.getAuxiliaryIdentifier(target);
    metadata.add(SOLID_META.terms.preserve, DataFactory.namedNode(path), SOLID_META.terms.ResponseMetadata);
  }
}
