import type { Quad, Term } from '@rdfjs/types';

/** Statements by a text that is the same for the same one. */
export type StatementsByText = ReadonlyMap<string, Quad>;

/** The statements of a document that have one of some predicates, in whichever graph. */
export function selectStatements(quads: Iterable<Quad>, predicates: readonly string[]): StatementsByText {
  const selected = [ ...quads ].filter(({ predicate }): boolean => predicates.includes(predicate.value));
  return new Map(selected.map((quad): [string, Quad] =>
    [ [ quad.subject, quad.predicate, quad.object, quad.graph ].map(textOf).join(' '), quad ]));
}

/** Returns true when two documents state the same. */
export function isSame(one: StatementsByText, other: StatementsByText): boolean {
  return one.size === other.size && [ ...one.keys() ].every((text): boolean => other.has(text));
}

/** One statement that is not in both, in words: that one document adds it to another, or lacks it. */
export function describeChange(before: StatementsByText, after: StatementsByText): string {
  const added = [ ...after.entries() ].find(([ text ]): boolean => !before.has(text));
  const removed = [ ...before.entries() ].find(([ text ]): boolean => !after.has(text));
  const [ , quad ] = added ?? removed!;
  const { subject, predicate, object } = quad;
  return `${added ? 'add' : 'remove'} ${[ subject, predicate, object ].map(textOf).join(' ')}`;
}

/** Labels of blank nodes mean nothing. */
function textOf(term: Term): string {
  if (term.termType === 'NamedNode') {
    return `<${term.value}>`;
  }
  return term.termType === 'Literal' ?
    `"${term.value}"@${term.language}^^<${term.datatype.value}>` :
    term.termType;
}
