import type { Term } from '@rdfjs/types';
import { DataFactory } from 'n3';
import type { Quad, Quad_Object, Quad_Subject } from 'n3';
import type { Pattern, Solution } from './solvePatterns';

/**
 * The quads that templates come to, in the default graph. What would be no triple is left out.
 *
 * @param templates - Variables stand for the terms of the solution.
 * @param solution - Terms by the names of variables.
 * @param blank - Makes a blank node for each one in the templates; without it they stay unchanged.
 */
export function instantiate(
  templates: readonly Pattern[],
  solution: Solution,
  blank?: (label: string) => Term,
): Quad[] {
  const quads: Quad[] = [];
  for (const template of templates) {
    const [ subject, predicate, object ] = [ template.subject, template.predicate, template.object ]
      .map((term): Term | undefined => fill(term, solution, blank));
    if (subject && predicate?.termType === 'NamedNode' && object && subject.termType !== 'Literal') {
      // N3's own types of terms are narrower than those of RDF/JS, which are the same in RDF 1.1.
      quads.push(DataFactory.quad(subject as Quad_Subject, predicate, object as Quad_Object));
    }
  }
  return quads;
}

function fill(term: Term, solution: Solution, blank?: (label: string) => Term): Term | undefined {
  if (term.termType === 'Variable') {
    return solution.get(term.value);
  }
  return blank && term.termType === 'BlankNode' ? blank(term.value) : term;
}
