import { Lexer, Parser } from 'n3';
import { once } from '../../platform/once';
import { opened } from '../../platform/opened';
import { replacePart } from '../replacePart';

/** A step of the library that describes what is wrong: it takes a text, and perhaps a symbol. */
type Describe = (this: unknown, text: string, ...others: unknown[]) => unknown;

const maxLength = 200;

/**
 * Makes all parsers of Turtle, TriG and N3 in this process quote only the beginning of what is wrong. The library
 * quotes all up to the next space: perhaps a whole document, which gets into responses and several lines of the log.
 */
export const shortenSyntaxErrors = once((): void => {
  for (const [ prototype, step ] of [[ Lexer.prototype, '_syntaxError' ], [ Parser.prototype, '_error' ]] as const) {
    const describe = opened<Record<string, Describe>>(prototype)[step];
    replacePart(prototype, step, function(this: unknown, text: string, ...others: unknown[]): unknown {
      const quoted = text.length > maxLength ? `${text.slice(0, maxLength)}…` : text;
      return describe.call(this, quoted, ...others);
    });
  }
});
