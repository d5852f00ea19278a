import { N3PatchBodyParser } from '@solid/community-server';
import type { Quad, Quad_Subject as Subject, Term } from '@rdfjs/types';
import type { Store } from 'n3';
import { wrapMethod } from '../replacePart';
import { unprocessable } from './patching';

/** A part of a patch, by its predicate, as the server finds it. */
type FindQuads = [store: Store, patch: Subject, predicate: Term];

/**
 * Parses N3 patches as the server does, and refuses those whose parts are not formulae, or have formulae in them. The
 * server takes the first for empty ones, so that a patch does less than it says and succeeds.
 *
 * @see [Solid Protocol, section 5.3.1](https://solidproject.org/TR/protocol#n3-patch)
 */
export class CitedFormulaeParser extends N3PatchBodyParser {
  public constructor() {
    super();
    wrapMethod<FindQuads, Quad[]>(this, 'findQuads', (find): typeof find => (store, patch, predicate): Quad[] => {
      if (store.getObjects(patch, predicate, null).some(({ termType }): boolean => termType !== 'BlankNode')) {
        throw unprocessable(`The value of ${predicate.value} is not a formula.`);
      }
      const quads = find(store, patch, predicate);
      if (quads.some(({ subject, object }): boolean => isFormula(store, subject) || isFormula(store, object))) {
        throw unprocessable(`The formula of ${predicate.value} contains another one.`);
      }
      return quads;
    });
  }
}

function isFormula(store: Store, term: Term): boolean {
  return term.termType === 'BlankNode' && store.countQuads(null, null, null, term) > 0;
}
