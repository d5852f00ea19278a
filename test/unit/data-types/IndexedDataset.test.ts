import type { BlankNode, NamedNode, Quad, Term } from 'n3';
import { DataFactory as factory, Store, termToId } from 'n3';
import { IndexedDataset } from '../../../src/data-types/IndexedDataset';
import { fc } from '../../support/properties';

// Terms that differ only in kind, language or type are different.
const nodes = [
  ...[ 'a', 'b' ].map((name): Term => factory.namedNode(name)),
  ...[ 'a', 'b' ].map((name): Term => factory.blankNode(name)),
] as (BlankNode | NamedNode)[];
const objects = [
  ...nodes,
  factory.literal('a'),
  factory.literal('a', 'nl'),
  factory.literal('a', factory.namedNode('b')),
  factory.literal('b'),
];
const predicates = [ factory.namedNode('a'), factory.namedNode('p') ];

const quads = fc.tuple(fc.constantFrom(...nodes), fc.constantFrom(...predicates), fc.constantFrom(...objects))
  .map(([ subject, predicate, object ]): Quad => factory.quad(subject, predicate, object));
const patterns = fc.tuple(
  fc.constantFrom(null, ...nodes),
  fc.constantFrom(null, ...predicates),
  fc.constantFrom(null, ...objects),
);

function idOf(one: Quad): string {
  return [ one.subject, one.predicate, one.object ].map((term): string => termToId(term)).join(' ');
}

function sorted(found: Iterable<unknown>): string[] {
  return [ ...found as Iterable<Quad> ].map(idOf).sort();
}

describe('An indexed data set', (): void => {
  it('finds the same as a store of n3, also after quads were added and deleted.', (): void => {
    const sets = fc.uniqueArray(quads, { selector: idOf });
    const steps = fc.array(fc.record({ change: fc.constantFrom('add', 'delete'), one: quads, pattern: patterns }));
    fc.assert(fc.property(sets, steps, (first, changes): void => {
      const dataset = new IndexedDataset(first);
      const store = new Store(first);
      for (const { change, one, pattern } of changes) {
        dataset[change](one);
        store[change](one);
        expect(dataset.has(one)).toBe(change === 'add');
        expect(dataset.size).toBe(store.size);
        expect(sorted(dataset.match(...pattern))).toEqual(sorted(store.match(...pattern)));
      }
      expect(sorted(dataset)).toEqual(sorted(store));
    }));
  });

  it('returns matches as a separate data set.', (): void => {
    const one = factory.quad(nodes[0], predicates[0], nodes[1]);
    const dataset = new IndexedDataset([ one ]);
    dataset.match(nodes[0]).delete(one);
    expect(dataset.size).toBe(1);
  });
});
