import type { Term } from '@rdfjs/types';
import { DataFactory } from 'n3';
import type { Quad, Quad_Object, Quad_Subject } from 'n3';
import type { Pattern, Solution } from './solvePatterns';

/**
 * Instantiates templates as quads in the default graph, leaving out invalid triples.
 *
 * @param templates - Quads whose variables are replaced by terms of the solution.
 * @param solution - Terms by the names of variables.
 * @param blank - Makes a blank node for each one in the templates; if absent, they stay unchanged.
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
      // N3's types of terms are narrower than those of RDF/JS, but equivalent for RDF 1.1.
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
