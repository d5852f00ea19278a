import type { Term } from '@rdfjs/types';
import type { NamedNode, Quad, Quad_Object, Quad_Predicate, Quad_Subject } from 'n3';
import { DataFactory, Store } from 'n3';
import type { Pattern } from '../../../../src/server/patches/solvePatterns';
import { solvePatterns } from '../../../../src/server/patches/solvePatterns';
import { fc } from '../../../support/properties';

const names = [ 'a', 'b', 'c' ].map((name): NamedNode => DataFactory.namedNode(`urn:${name}`));
const variables = [ DataFactory.variable('x'), DataFactory.variable('y'), DataFactory.blankNode('z') ];

function triple([ subject, predicate, object ]: Term[]): Quad {
  return DataFactory.quad(subject as Quad_Subject, predicate as Quad_Predicate, object as Quad_Object);
}

function at(index: number): Term {
  return DataFactory.variable(`v${index}`);
}

/** Slow, and obviously right: tries every way to fill in the patterns. */
function allSolutions(patterns: Pattern[], data: Store): string[] {
  const used = variables.filter((each): boolean => patterns.some((pattern): boolean =>
    [ pattern.subject, pattern.predicate, pattern.object ].some((term): boolean => term.equals(each))));
  const found: string[] = [];
  function tryAll(chosen: Term[]): void {
    if (chosen.length < used.length) {
      for (const name of names) {
        tryAll([ ...chosen, name ]);
      }
    } else if (patterns.every(({ subject, predicate, object }): boolean => data.has(triple(
      [ subject, predicate, object ].map((term): Term =>
        chosen[used.findIndex((each): boolean => each.equals(term))] ?? term),
    )))) {
      found.push(chosen.map(({ value }): string => value).join(' '));
    }
  }
  tryAll([]);
  return found.sort();
}

describe('The matches of patterns in data', (): void => {
  it('are those that brute force finds.', (): void => {
    const name = fc.constantFrom(...names);
    const triples = fc.array(fc.tuple(name, name, name), { maxLength: 12 });
    const term = fc.constantFrom<Term>(...names, ...variables);
    const patterns = fc.array(fc.record({ subject: term, predicate: term, object: term }), { maxLength: 4 });
    fc.assert(fc.property(triples, patterns, (all, asked): void => {
      const data = new Store(all.map(triple));
      const used = variables.filter((each): boolean => asked.some((pattern): boolean =>
        [ pattern.subject, pattern.predicate, pattern.object ].some((one): boolean => one.equals(each))));
      const solutions = Array.from(solvePatterns(asked, data), (solution): string => used
        .map(({ termType, value }): string => solution.get(termType === 'BlankNode' ? `_:${value}` : value)!.value)
        .join(' '));
      expect(solutions.sort()).toEqual(allSolutions(asked, data));
    }), { numRuns: 500 });
  });

  it('are sought for a limited time, and a limited number of patterns.', (): void => {
    const nodes = Array.from({ length: 40 }, (_, index): NamedNode => DataFactory.namedNode(`urn:${index}`));
    const edges = nodes.flatMap((one): Quad[] => nodes.map((other): Quad => triple([ one, names[0], other ])));
    const chain = Array.from({ length: 6 }, (_, index): Pattern =>
      ({ subject: at(index), predicate: names[0], object: at(index + 1) }));
    const impossible = { subject: at(6), predicate: names[1], object: at(0) };
    expect((): unknown => [ ...solvePatterns([ ...chain, impossible, ...chain ], new Store(edges)) ])
      .toThrow('too long');
    expect((): unknown => [ ...solvePatterns(Array.from({ length: 201 }).fill(impossible) as Pattern[], new Store()) ])
      .toThrow('200');
  });

  it('are sought in a short time, also when many variables are known.', (): void => {
    const edges = Array.from({ length: 30_000 }, (_, index): Quad =>
      triple([ DataFactory.namedNode(`urn:s${index}`), names[0], names[1] ]));
    const loose = Array.from({ length: 199 }, (_, index): Pattern =>
      ({ subject: at(3 * index), predicate: at(3 * index + 1), object: at(3 * index + 2) }));
    const impossible = { subject: at(1000), predicate: at(1001), object: at(1000) };
    const data = new Store(edges);
    const begun = performance.now();
    // Each took over four seconds.
    for (let time = 0; time < 10; time += 1) {
      expect((): unknown => [ ...solvePatterns([ ...loose, impossible ], data) ]).toThrow('too long');
    }
    expect(performance.now() - begun).toBeLessThan(20_000);
  });
});
