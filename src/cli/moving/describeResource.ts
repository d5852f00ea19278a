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

/** A resource without its bytes: the same on both sides, however each stores it. */
export interface Description {
  contentType?: string;
  /** N-Quads, in order. */
  statements: string[];
  modified: Date;
}

const serverTypes = [ LDP.terms.Resource, LDP.terms.Container, LDP.terms.BasicContainer ];

/** Describes a resource; nothing when there is none. */
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
    // Each side has names of its own for blank nodes.
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

/** Metadata to write a resource with: as stored, with the exact time. */
export async function readForWriting(tree: PodTree, identifier: ResourceIdentifier): Promise<RepresentationMetadata> {
  // A copy: the target would leave a container as it is whose description is just as it was read.
  const metadata = new RepresentationMetadata(await readMetadata(tree, identifier));
  const modified = await tree.modifiedOf(identifier);
  return metadata.set(DC.terms.modified, toLiteral(modified.toISOString(), XSD.terms.dateTime));
}

/** SHA-256 of a document's bytes, and how many there are. */
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
