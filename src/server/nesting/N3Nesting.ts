import type { NestingScanner } from './NestingScanner';

/**
 * Characters that, like spaces, cannot occur in an IRI: the `<` before was a comparison, an arrow, or a triple in
 * brackets.
 */
const noIri = '"{}|^`<';

/**
 * Tracks the nesting of N3: brackets of all kinds, except in strings, IRIs and comments.
 *
 * @see [Turtle 1.1, section 6.5](https://www.w3.org/TR/turtle/#sec-grammar-grammar)
 */
export class N3Nesting implements NestingScanner {
  public depth = 0;
  /** Number of names, strings, brackets and other symbols, as far as they are separated. */
  public symbols = 0;
  /** Number of open brackets. */
  private open = 0;
  /** End of the current string or comment. */
  private end = '';
  private escaped = false;
  /** The run of equal quotes just read. */
  private quotes = '';
  /** Text since a `<` that may begin an IRI. */
  private iri?: string;
  private inWord = false;

  public take(character: string): void {
    if (this.iri !== undefined) {
      this.takeInIri(this.iri, character);
    } else if (this.end === '\n') {
      this.end = /[\n\r]/u.test(character) ? '' : this.end;
    } else if (this.end !== '') {
      this.takeInString(character);
    } else if (this.quotes === '') {
      this.takeOutside(character);
    } else {
      this.begin(character);
    }
  }

  /** Continues after one or two quotes: they begin a string or a long string, or are an empty string. */
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
    const isWord = !this.escaped && (/[\w:.%-]/u.test(character) || character > '~');
    this.symbols += (isWord && this.inWord) || /\s/u.test(character) ? 0 : 1;
    this.inWord = isWord;
    if (this.escaped || character === '\\') {
      this.escaped = !this.escaped;
    } else if (character === '"' || character === '\'') {
      this.quotes = character;
    } else if (character === '<') {
      this.iri = '';
    } else if (character === '#') {
      this.end = '\n';
    } else if ('[({'.includes(character)) {
      this.open += 1;
      this.depth = Math.max(this.depth, this.open);
    } else if ('])}'.includes(character)) {
      this.open -= 1;
    }
  }

  private takeInIri(iri: string, character: string): void {
    const isNone = character <= ' ' || noIri.includes(character) || (this.escaped && !/u/iu.test(character));
    this.escaped = character === '\\';
    if (character === '>') {
      this.iri = undefined;
    } else if (isNone) {
      this.iri = undefined;
      this.escaped = false;
      // A second `<` directly after the first belongs to the same symbol.
      const rest = iri === '' && character === '<' ? '' : iri + character;
      for (const each of rest) {
        this.take(each);
      }
    } else {
      this.iri = `${iri}${character}`;
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
