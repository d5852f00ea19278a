import { createHash } from 'node:crypto';
import type { BlankNode, Term } from '@rdfjs/types';
import { DataFactory, Writer } from 'n3';
import {
  CONTENT_TYPE_TERM,
  DC,
  isContainerIdentifier,
  LDP,
  NotFoundHttpError,
  RDF,
  RepresentationMetadata,
  SOLID_META,
  toLiteral,
  XSD,
} from '@solid/community-server';
import type { ResourceIdentifier } from '@solid/community-server';
import type { PodTree } from './PodSide';

/** A resource without its bytes, in a form that does not depend on how either side stores it. */
export interface Description {
  contentType?: string;
  /** N-Quads, sorted. */
  statements: string[];
  modified: Date;
}

const serverTypes = [ LDP.terms.Resource, LDP.terms.Container, LDP.terms.BasicContainer ];

/** Describes a resource; returns `undefined` when it does not exist. */
export async function describeResource(
  tree: PodTree,
  identifier: ResourceIdentifier,
): Promise<Description | undefined> {
  const metadata = await readMetadata(tree, identifier);
  if (!metadata) {
    return;
  }
  const statements = metadata.quads()
    .filter(({ predicate, object }): boolean =>
      !predicate.equals(DC.terms.modified) && !predicate.equals(CONTENT_TYPE_TERM) &&
      !(predicate.equals(RDF.terms.type) && serverTypes.some((type): boolean => type.equals(object))))
    // Blank nodes have different names on each side.
    .map((quad): string => new Writer({ format: 'N-Quads' }).quadsToString([ DataFactory.quad(
      unnamed(quad.subject),
      quad.predicate,
      unnamed(quad.object),
    ) ]));
  return {
    contentType: isContainerIdentifier(identifier) ? undefined : metadata.contentType,
    statements: statements.sort(),
    modified: await tree.modifiedOf(identifier),
  };
}

/** Returns the metadata for writing a resource: as stored, with the exact time. */
export async function readForWriting(tree: PodTree, identifier: ResourceIdentifier): Promise<RepresentationMetadata> {
  // A copy, because the target does not write a container whose description is the object that was read.
  const metadata = new RepresentationMetadata(await readMetadata(tree, identifier));
  const modified = await tree.modifiedOf(identifier);
  return metadata.set(DC.terms.modified, toLiteral(modified.toISOString(), XSD.terms.dateTime));
}

/** Returns the SHA-256 and the number of a document's bytes. */
export async function digestDocument(
  { accessor }: PodTree,
  identifier: ResourceIdentifier,
): Promise<{ digest: string; size: number }> {
  const hash = createHash('sha256');
  let size = 0;
  const chunks: AsyncIterable<Buffer> = await accessor.getData(identifier);
  for await (const bytes of chunks) {
    hash.update(bytes);
    size += bytes.length;
  }
  return { digest: hash.digest('hex'), size };
}

async function readMetadata(
  { accessor }: PodTree,
  identifier: ResourceIdentifier,
): Promise<RepresentationMetadata | undefined> {
  try {
    const metadata = await accessor.getMetadata(identifier);
    return metadata.removeQuads(metadata.quads(null, null, null, SOLID_META.terms.ResponseMetadata));
  } catch (error: unknown) {
    if (NotFoundHttpError.isInstance(error)) {
      return undefined;
    }
    throw error;
  }
}

function unnamed<T extends Term>(term: T): BlankNode | T {
  return term.termType === 'BlankNode' ? DataFactory.blankNode('any') : term;
}
