import { HttpError } from '@solid/community-server';
import type { Representation } from '@solid/community-server';
import type { Quad } from '@rdfjs/types';
import type { Store } from 'n3';
import { tooLarge } from '../readBounded';

/** Input of the server's RDF patchers, whose type the server does not export. */
export interface PatchedRdf extends Representation {
  dataset: Store;
}

/** An N3 patch as the server parses it. */
export interface N3Changes {
  deletes: Quad[];
  inserts: Quad[];
  conditions: Quad[];
}

/** Error for a well-formed patch that needs too much work. */
export function unprocessable(message: string): HttpError {
  return new HttpError(422, 'UnprocessableEntityHttpError', message);
}

/** @throws HttpError 413 when a patch has too many symbols. */
export function requireFew(symbols: number, most: number): void {
  if (symbols > most) {
    throw tooLarge(`A patch may have at most ${most} symbols, fewer when they are nested.`);
  }
}
