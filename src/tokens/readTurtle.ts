import { EventEmitter } from 'node:events';
import type { Quad, Term } from '@rdfjs/types';
import { Parser } from 'n3';
import { giveWay, isOverdue } from '../platform/giveWay';

const pieceLength = 4096;
/** Maximum time of the process that one document takes. */
const maxMs = 2000;
/** Maximum characters of all IRIs in one document: several times those of long profiles. */
const maxCharacters = 16 * 1024 * 1024;

/**
 * Parses a Turtle document that anybody may have written: with other work of the process between its parts, and within
 * bounds. Relative IRIs can each be nearly as long as the document, and a mebibyte of them would take minutes.
 *
 * @throws Error when it is not Turtle, or takes too long.
 */
export async function readTurtle(text: string, baseIRI: string): Promise<Quad[]> {
  const quads: Quad[] = [];
  const source = new EventEmitter();
  const failures: Error[] = [];
  let length = 0;
  new Parser({ baseIRI, format: 'text/turtle' }).parse(source, (error: Error | null, quad: Quad | null): void => {
    failures.push(...error ? [ error ] : []);
    if (quad) {
      length += lengthOf(quad.subject) + lengthOf(quad.predicate) + lengthOf(quad.object);
      requireBounds(length <= maxCharacters);
      quads.push(quad);
    }
  });
  let spent = 0;
  for (let at = 0; at < text.length && failures.length === 0; at += pieceLength) {
    const startedAt = performance.now();
    source.emit('data', text.slice(at, at + pieceLength));
    spent += performance.now() - startedAt;
    requireBounds(spent <= maxMs);
    if (isOverdue()) {
      await giveWay();
    }
  }
  source.emit('end');
  if (failures.length > 0) {
    throw failures[0];
  }
  return quads;
}

function lengthOf({ termType, value }: Term): number {
  return termType === 'NamedNode' ? value.length : 0;
}

function requireBounds(isWithin: boolean): void {
  if (!isWithin) {
    throw new Error('The document takes too long to read.');
  }
}
