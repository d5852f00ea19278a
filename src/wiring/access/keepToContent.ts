import { RDF, SOLID_META } from '@solid/community-server';
import type { AuxiliaryIdentifierStrategy, Operation } from '@solid/community-server';
import { DataFactory } from 'n3';

/**
 * Takes out of a request to write what it says about the resource, such as in `Link` headers, but for its type: a grant
 * is one on content. The description that the resource has stays as it is.
 *
 * @param operation - Is changed.
 * @param metadataStrategy - Tells the descriptions of resources.
 */
export function keepToContent(operation: Operation, metadataStrategy: AuxiliaryIdentifierStrategy): void {
  const { body: { metadata }, method, target } = operation;
  const said = metadata.quads(metadata.identifier as never).filter(({ object, predicate }): boolean =>
    object.termType === 'NamedNode' && !predicate.equals(RDF.terms.type));
  metadata.removeQuads(said);
  if (method === 'PUT') {
    const { path } = metadataStrategy.getAuxiliaryIdentifier(target);
    metadata.add(SOLID_META.terms.preserve, DataFactory.namedNode(path), SOLID_META.terms.ResponseMetadata);
  }
}
