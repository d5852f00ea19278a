import type { NestingScanner } from './NestingScanner';

/** Ends of comments, CDATA sections and instructions, by the text after their `<`. */
const ends = new Map([[ '!--', '-->' ], [ '![CDATA[', ']]>' ], [ '?', '?>' ]]);
const documentType = '!DOCTYPE';
const heads = [ ...ends.keys(), documentType ];

/**
 * Tracks the nesting of XML elements. Ignores comments, CDATA sections, instructions, declarations in a document type
 * and attribute values.
 */
export class XmlNesting implements NestingScanner {
  public depth = 0;
  /** Characters after a `<`, until it is clear what it begins. */
  private head?: string;
  /** End of the current comment, section or instruction, and the last characters. */
  private end = '';
  private tail = '';
  private inTag = false;
  private inEndTag = false;
  private inDeclaration = false;
  private inDocumentType = false;
  private quote = '';

  /** True for a document that ends early: the parser of RDF/XML accepts it as complete. */
  public get isUnfinished(): boolean {
    return this.depth > 0 || this.inTag || this.inEndTag || this.inDeclaration || this.inDocumentType ||
      this.head !== undefined || this.end !== '';
  }

  public take(character: string): void {
    if (this.end !== '') {
      this.skip(character);
    } else if (this.head !== undefined) {
      this.begin(this.head + character);
    } else if (this.inTag) {
      this.takeInTag(character);
    } else if (this.inDeclaration) {
      this.takeInDeclaration(character);
    } else if (character === '<') {
      this.head = '';
    } else if (character === '>') {
      this.inEndTag = false;
    } else if (character === ']') {
      this.inDocumentType = false;
    }
  }

  private skip(character: string): void {
    this.tail = (this.tail + character).slice(-this.end.length);
    if (this.tail === this.end) {
      this.end = '';
    }
  }

  private begin(head: string): void {
    const end = ends.get(head);
    const possible = heads.filter((each): boolean => each.startsWith(head));
    if (possible.length === 0) {
      this.head = undefined;
      if (!/^[!/]/u.test(head)) {
        this.depth += 1;
        this.inTag = true;
        this.tail = '';
        this.takeInTag(head);
      } else if (head === '/') {
        this.depth -= 1;
        this.inEndTag = true;
      } else if (this.inDocumentType) {
        this.inDeclaration = true;
        this.takeInDeclaration(head.slice(-1));
      }
    } else if (head === documentType) {
      this.head = undefined;
      this.inDeclaration = true;
    } else if (end === undefined) {
      this.head = head;
    } else {
      this.head = undefined;
      this.end = end;
      this.tail = '';
    }
  }

  private takeInDeclaration(character: string): void {
    if (!this.takeInQuotes(character) && (character === '>' || character === '[')) {
      this.inDeclaration = false;
      this.inDocumentType ||= character === '[';
    }
  }

  private takeInQuotes(character: string): boolean {
    if (this.quote !== '') {
      this.quote = character === this.quote ? '' : this.quote;
      return true;
    }
    if (character === '"' || character === '\'') {
      this.quote = character;
      return true;
    }
    return false;
  }

  private takeInTag(character: string): void {
    if (!this.takeInQuotes(character) && character === '>') {
      this.inTag = false;
      this.depth -= this.tail === '/' ? 1 : 0;
    }
    this.tail = character;
  }
}
