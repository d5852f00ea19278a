import type { Quad, Term } from '@rdfjs/types';
import type { Store } from 'n3';
import { unprocessable } from './patching';

/** Terms by name of variable. */
export type Solution = ReadonlyMap<string, Term>;

/** Terms of a quad without its graph; variables match any term. */
export interface Pattern {
  subject: Term;
  predicate: Term;
  object: Term;
}

/** Maximum patterns; far more than ordinary patches have. */
const maxPatterns = 200;
/** Maximum quads and patterns examined for one patch: about a tenth of a second of work. */
const maxSteps = 100_000;

/** The work that is left for a patch. */
export interface Budget {
  steps: number;
}

/** Returns the budget of one patch, for all of its operations. */
export function newBudget(): Budget {
  return { steps: maxSteps };
}

/** Data to search, such as an N3 store. */
export type Searched = Pick<Store, 'countQuads' | 'readQuads'>;

const positions = [ 'subject', 'predicate', 'object' ] as const;

/**
 * Finds the ways in which all patterns occur in the data at once. The sender of the patterns decides how much work that
 * is, and it blocks the process: so patterns are matched one quad at a time, the most specific first, within limits.
 *
 * @param patterns - Blank nodes match any term, like variables.
 * @param data - Store whose default graph is searched.
 * @param budget - What is left of it for other patterns of the same patch.
 *
 * @returns One solution at a time: it changes when the next one is asked for.
 *
 * @throws HttpError 422 when there are too many patterns, or too many quads to examine.
 */
export function* solvePatterns(
  patterns: readonly Pattern[],
  data: Searched,
  budget = newBudget(),
): Generator<Solution> {
  if (patterns.length > maxPatterns) {
    throw unprocessable(`A patch may have at most ${maxPatterns} conditions.`);
  }
  yield* extend(new Map(), patterns, data, budget);
}

function* extend(
  known: Map<string, Term>,
  patterns: readonly Pattern[],
  data: Searched,
  budget: Budget,
): Generator<Solution> {
  if (patterns.length === 0) {
    yield known;
    return;
  }
  const next = mostConstrained(patterns, known);
  const rest = patterns.filter((pattern): boolean => pattern !== next);
  const [ subject, predicate, object ] = positions.map((position): Term | null => resolve(next[position], known));
  // The store prepares to read all of them before it gives the first.
  spend(budget, patterns.length + data.countQuads(subject, predicate, object, null));
  for (const quad of data.readQuads(subject, predicate, object, null)) {
    const found = match(next, quad, known);
    if (found) {
      // Copies would take most of the time.
      for (const [ name, term ] of found) {
        known.set(name, term);
      }
      yield* extend(known, rest, data, budget);
      for (const name of found.keys()) {
        known.delete(name);
      }
    }
  }
}

function spend(budget: Budget, steps: number): void {
  budget.steps -= steps;
  if (budget.steps < 0) {
    throw unprocessable('The patch has conditions that take too long to find.');
  }
}

function mostConstrained(patterns: readonly Pattern[], known: Solution): Pattern {
  let best = patterns[0];
  let least = Number.POSITIVE_INFINITY;
  for (const pattern of patterns) {
    const unknown = positions.filter((position): boolean => resolve(pattern[position], known) === null).length;
    if (unknown < least) {
      [ best, least ] = [ pattern, unknown ];
    }
  }
  return best;
}

/** Returns the name of a variable or blank node, which matches any term. */
function nameOf(term: Term): string | undefined {
  if (term.termType === 'Variable') {
    return term.value;
  }
  return term.termType === 'BlankNode' ? `_:${term.value}` : undefined;
}

/** Returns the term that a position must have; null when any matches. */
function resolve(term: Term, known: Solution): Term | null {
  const name = nameOf(term);
  return name === undefined ? term : known.get(name) ?? null;
}

/** Matches one quad; returns the terms that were not known. A variable may occur at two positions of one pattern. */
function match(pattern: Pattern, quad: Quad, known: Solution): Solution | undefined {
  const found = new Map<string, Term>();
  for (const position of positions) {
    const name = nameOf(pattern[position]);
    if (name !== undefined) {
      const before = known.get(name) ?? found.get(name);
      if (before && !before.equals(quad[position])) {
        return;
      }
      if (!before) {
        found.set(name, quad[position]);
      }
    }
  }
  return found;
}
