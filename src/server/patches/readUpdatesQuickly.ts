import { createRequire } from 'node:module';
import { requireOfServer } from '../requireOfServer';

/** The library's parser; all of them share the expressions of their lexer. */
type SparqlParser = new () => { lexer?: { rules?: RegExp[] }};

/** An escape of eight digits in a string: as the expressions ignore case, it is one of four digits and four letters. */
const longEscape = /\|\\\\U(?:\(\[0-9A-Fa-f\]\)){8}/gu;
/** Accents in a name. For the expressions, U+0345 among them is a spelling of iota, a letter. */
const accents = String.raw`\u0300-\u036F`;
const otherAccents = String.raw`\u0300-\u0344\u0346-\u036F`;
/** Number of expressions that change. */
const slowRules = 8;

/**
 * Makes all parsers of SPARQL in this process find the same symbols in linear time. For thirty escapes in a string that
 * does not end, or thirty iotas in a word, the library needs minutes, and twice as long with each further one.
 *
 * @throws Error with another version of the library, at the start.
 */
export function readUpdatesQuickly(): void {
  const ofAlgebra = createRequire(requireOfServer.resolve('sparqlalgebrajs'));
  // Checked below by the number of its expressions.
  const library = ofAlgebra('sparqljs') as { Parser: SparqlParser };
  const rules = new library.Parser().lexer?.rules ?? [];
  if (rules.some(({ source }): boolean => source.includes(otherAccents))) {
    return;
  }
  const quick = rules.map(quickRule);
  if (quick.filter((rule, at): boolean => rule !== rules[at]).length !== slowRules) {
    throw new Error('css-data-sharing needs another version of the SPARQL parser.');
  }
  rules.splice(0, rules.length, ...quick);
}

/** Returns an expression that matches the same texts, with one way to match each; the same one if it has no other. */
export function quickRule(rule: RegExp): RegExp {
  const source = rule.source.replaceAll(longEscape, '').replaceAll(accents, otherAccents);
  return source === rule.source ? rule : new RegExp(source, rule.flags);
}
