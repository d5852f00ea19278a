import {
  DC,
  IANA,
  isContainerIdentifier,
  LDP,
  POSIX,
  RDF,
  SOLID_META,
  toLiteral,
  toNamedTerm,
  XSD,
} from '@solid/community-server';
import type { ResourceIdentifier } from '@solid/community-server';
import type { NamedNode, Quad } from '@rdfjs/types';
import { DataFactory } from 'n3';
import type { ListedMember } from './ListingStorage';

/** Members that are named together: up to this number, a listing names all of them before it describes them. */
const membersAtOnce = 1000;

/**
 * Yields the statements of a container's listing about its members, as the server makes them, with only a few members
 * in memory at a time.
 */
export async function* statementsOf(
  container: ResourceIdentifier,
  members: AsyncIterable<ListedMember>,
): AsyncIterableIterator<Quad> {
  const subject = DataFactory.namedNode(container.path);
  let named: ListedMember[] = [];
  for await (const member of members) {
    yield noted(subject, LDP.terms.contains, DataFactory.namedNode(member.identifier.path));
    named.push(member);
    if (named.length === membersAtOnce) {
      yield* describe(named);
      named = [];
    }
  }
  yield* describe(named);
}

function* describe(members: readonly ListedMember[]): Generator<Quad> {
  for (const member of members) {
    yield* descriptionOf(member);
  }
}

/** @see [Solid Protocol, section 5.2.1](https://solidproject.org/TR/2021/protocol-20211217#contained-resource-metadata) */
function descriptionOf({ identifier, mediaType, modified, size }: ListedMember): Quad[] {
  const subject = DataFactory.namedNode(identifier.path);
  const types = [
    ...isContainerIdentifier(identifier) ? [ LDP.terms.Container, LDP.terms.BasicContainer ] : [],
    LDP.terms.Resource,
    ...mediaType === undefined ? [] : [ toNamedTerm(`${IANA.namespace}${mediaType}#Resource`) ],
  ];
  const seconds = Math.floor(modified.getTime() / 1000);
  return [
    ...types.map((type): Quad => DataFactory.quad(subject, RDF.terms.type, type)),
    DataFactory.quad(subject, DC.terms.modified, toLiteral(modified.toISOString(), XSD.terms.dateTime)),
    noted(subject, POSIX.terms.mtime, toLiteral(seconds, XSD.terms.integer)),
    ...size === undefined ? [] : [ noted(subject, POSIX.terms.size, toLiteral(size, XSD.terms.integer)) ],
  ];
}

/** Makes a statement that is not stored in any document. */
function noted(subject: NamedNode, predicate: NamedNode, object: Quad['object']): Quad {
  return DataFactory.quad(subject, predicate, object, SOLID_META.terms.ResponseMetadata);
}
