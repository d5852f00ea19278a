import type { Quad, Term } from 'n3';
import { DataFactory, Store } from 'n3';
import type { Options } from 'jsonld';
import { expand, toRDF } from 'jsonld';

/** Finds a JSON-LD context; rejects for one it does not have. Must not go to the network. */
export type ContextLoader = (url: string) => Promise<{ documentUrl: string; document: object }>;

/** How JSON-LD is read. */
export interface JsonLdReader {
  contexts: ContextLoader;
  /** In place of jsonld's own. */
  resolver?: object;
}

/** The IRI that stands for the subject of a record while it is inspected. */
export const subjectIri = 'urn:css-data-sharing:subject';

/** How large a record may be. */
export const limits = { textBytes: 1024 * 1024, quads: 5000, blankNodes: 100, depth: 32 } as const;

/** A record is over one of the {@link limits}. */
export class RecordTooLarge extends Error {}

/** Terms and quads as jsonld gives them: plain objects. */
interface PlainTerm {
  termType: string;
  value: string;
  language?: string;
  datatype?: PlainTerm;
}
type PlainQuad = Record<'subject' | 'predicate' | 'object' | 'graph', PlainTerm>;

/**
 * Refuses what no JSON-LD reader should be given: JSON that is too deep or too long, or has keys that reach prototypes.
 *
 * @throws RecordTooLarge, Error
 */
export function checkJson(value: unknown): void {
  checkDepth(value, 0);
  if (Buffer.byteLength(JSON.stringify(value)) > limits.textBytes) {
    throw new RecordTooLarge('text');
  }
}

function checkDepth(value: unknown, depth: number): void {
  if (depth > limits.depth) {
    throw new RecordTooLarge('depth');
  }
  if (typeof value === 'object' && value !== null) {
    for (const key of Object.keys(value)) {
      if (key === '__proto__') {
        throw new Error('The key __proto__ is not allowed');
      }
      checkDepth((value as Record<string, unknown>)[key], depth + 1);
    }
  }
}

/**
 * Turns the JSON-LD of a credential subject into RDF, in which {@link subjectIri} is the subject.
 *
 * Nothing may get lost on the way: a key that the context does not define, or a relative IRI, is an error.
 *
 * @throws RecordTooLarge when it is over the limits; any other error when it is not good JSON-LD.
 */
export async function readSubject(subject: object, { contexts, resolver }: JsonLdReader): Promise<Store> {
  checkJson(subject);
  // The declared types know neither `safe` nor a loader that is a plain function.
  const strict = {
    documentLoader: contexts,
    ...resolver && { contextResolver: resolver },
    base: '',
    safe: true,
  } as object as Options.Expand;
  const expanded = await expand(subject, strict);
  if (expanded.length !== 1) {
    throw new Error('The record has more than one subject, or none');
  }
  // Before they become quads: finding duplicates among them takes the square of their number.
  if (countValues(expanded) > limits.quads) {
    throw new RecordTooLarge('quads');
  }
  const rooted = [ Object.assign(expanded[0], Object.fromEntries([[ '@id', subjectIri ]])) ];
  const quads = await toRDF(rooted, strict as Options.ToRdf) as PlainQuad[];
  return toStore(quads);
}

/** How many values and nodes expanded JSON-LD has: no more than the quads it makes, and its subject. */
function countValues(expanded: unknown): number {
  if (Array.isArray(expanded)) {
    return expanded.reduce((count: number, item: unknown): number => count + countValues(item), 0);
  }
  if (typeof expanded !== 'object' || expanded === null || '@value' in expanded) {
    return 1;
  }
  return Object.entries(expanded).reduce((count, [ key, value ]): number =>
    count + (key === '@id' ? 0 : countValues(value)), 1);
}

function toStore(quads: PlainQuad[]): Store {
  if (quads.length > limits.quads) {
    throw new RecordTooLarge('quads');
  }
  if (quads.some(({ graph }): boolean => graph.termType !== 'DefaultGraph')) {
    throw new Error('The record has named graphs');
  }
  const blanks = new Set(quads.flatMap(({ subject, object }): string[] =>
    [ subject, object ].filter(({ termType }): boolean => termType === 'BlankNode').map(({ value }): string => value)));
  if (blanks.size > limits.blankNodes) {
    throw new RecordTooLarge('blank nodes');
  }
  return new Store(quads.map(toQuad));
}

function toQuad({ subject, predicate, object }: PlainQuad): Quad {
  return DataFactory.quad(
    toTerm(subject) as Quad['subject'],
    toTerm(predicate) as Quad['predicate'],
    toTerm(object) as Quad['object'],
  );
}

/** Blank nodes get names of their own, that no shape has. */
function toTerm({ termType, value, language, datatype }: PlainTerm): Term {
  if (termType === 'Literal') {
    return DataFactory.literal(value, language ?? DataFactory.namedNode(datatype!.value));
  }
  return termType === 'BlankNode' ?
      DataFactory.blankNode(`record-${value.replace('_:', '')}`) :
      DataFactory.namedNode(value);
}
