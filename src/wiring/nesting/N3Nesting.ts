import type { NestingScanner } from './NestingScanner';

/** Within an IRI, these tell that it is none, but a comparison. */
const noIri = /[\s"{}|^`\\<]/u;

/**
 * Nesting of N3 and of SPARQL updates: brackets of all kinds. Those in strings, IRIs and comments count for nothing.
 *
 * @see [Turtle 1.1, section 6.5](https://www.w3.org/TR/turtle/#sec-grammar-grammar)
 */
export class N3Nesting implements NestingScanner {
  public depth = 0;
  /** What ends the string, IRI or comment that it is in. */
  private end = '';
  private escaped = false;
  /** The same quotes in a row that came last. */
  private quotes = '';

  public take(character: string): void {
    if (this.end === '' && this.quotes !== '') {
      this.begin(character);
    } else if (this.end === '') {
      this.takeOutside(character);
    } else if (this.end === '>' || this.end === '\n') {
      this.takeToEnd(character);
    } else {
      this.takeInString(character);
    }
  }

  /** After one quote, or two: they begin a string, a long string, or are one that is empty. */
  private begin(character: string): void {
    if (this.quotes.startsWith(character)) {
      this.quotes += character;
      if (this.quotes.length === 3) {
        this.end = this.quotes;
        this.quotes = '';
      }
      return;
    }
    const [ quote, second ] = this.quotes;
    this.quotes = '';
    if (second === undefined) {
      this.end = quote;
      this.takeInString(character);
    } else {
      this.takeOutside(character);
    }
  }

  private takeOutside(character: string): void {
    if (character === '"' || character === '\'') {
      this.quotes = character;
    } else if (character === '<') {
      this.end = '>';
    } else if (character === '#') {
      this.end = '\n';
    } else if ('[({'.includes(character)) {
      this.depth += 1;
    } else if ('])}'.includes(character)) {
      this.depth -= 1;
    }
  }

  private takeToEnd(character: string): void {
    if (character === this.end) {
      this.end = '';
    } else if (this.end === '>' && noIri.test(character)) {
      this.end = '';
      this.takeOutside(character);
    }
  }

  private takeInString(character: string): void {
    const isQuote = !this.escaped && this.end.startsWith(character);
    this.escaped = character === '\\' && !this.escaped;
    this.quotes = isQuote ? this.quotes + character : '';
    if (this.quotes.length === this.end.length) {
      this.end = '';
      this.quotes = '';
    }
  }
}
