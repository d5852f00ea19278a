import type { Quad, Term } from '@rdfjs/types';

/** Statements by a text that identifies them. */
export type StatementsByText = ReadonlyMap<string, Quad>;

/** Selects the statements with one of these predicates, in any graph. */
export function selectStatements(quads: Iterable<Quad>, predicates: readonly string[]): StatementsByText {
  const selected = [ ...quads ].filter(({ predicate }): boolean => predicates.includes(predicate.value));
  return new Map(selected.map((quad): [string, Quad] =>
    [ [ quad.subject, quad.predicate, quad.object, quad.graph ].map(textOf).join(' '), quad ]));
}

/** Checks whether two sets of statements are equal. */
export function isSame(one: StatementsByText, other: StatementsByText): boolean {
  return one.size === other.size && [ ...one.keys() ].every((text): boolean => other.has(text));
}

/** Describes one statement that differs between two documents, as added or missing. */
export function describeChange(before: StatementsByText, after: StatementsByText): string {
  const [ first ] = describeChanges(before, after);
  return first;
}

function* describeChanges(before: StatementsByText, after: StatementsByText): IterableIterator<string> {
  for (const [ change, statements, others ] of [[ 'add', after, before ], [ 'remove', before, after ]] as const) {
    for (const [ text, { subject, predicate, object }] of statements) {
      if (!others.has(text)) {
        yield `${change} ${[ subject, predicate, object ].map(textOf).join(' ')}`;
      }
    }
  }
}

/** Ignores labels of blank nodes. */
function textOf(term: Term): string {
  if (term.termType === 'NamedNode') {
    return `<${term.value}>`;
  }
  return term.termType === 'Literal' ?
    `"${term.value}"@${term.language}^^<${term.datatype.value}>` :
    term.termType;
}
