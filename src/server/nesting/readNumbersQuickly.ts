import { Lexer } from 'n3';
import { once } from '../../platform/once';
import { opened } from '../../platform/opened';
import { replacePart } from '../replacePart';

/** The library's step that finds the symbols of a text. */
interface SymbolReader {
  tokenize: (...args: unknown[]) => unknown;
}

/**
 * Numbers of Turtle, TriG and N3, as the library finds them: the part of a double before its exponent, and the point of
 * a decimal number. In the library's own expression, the digits of an integer may be divided between two terms.
 */
export const quickNumber =
  /^[-+]?(?:(\d+\.\d*|\.?\d+)e[-+]?\d+|\d*(\.)\d+|\d+)(?=\.?[\s"#'(),:;<>[\]{}])/iu;

/**
 * Makes all parsers of Turtle, TriG and N3 in this process read numbers in linear time. For a million digits followed
 * by a letter, the library needs an hour, in one step that nothing interrupts.
 */
export const readNumbersQuickly = once((): void => {
  // With another version of the library, this fails at the start.
  replacePart(new Lexer(), '_number', quickNumber);
  const { tokenize } = opened<SymbolReader>(Lexer.prototype);
  replacePart(Lexer.prototype, 'tokenize', function(this: SymbolReader, ...args: unknown[]): unknown {
    replacePart(this, '_number', quickNumber);
    return tokenize.apply(this, args);
  });
});
