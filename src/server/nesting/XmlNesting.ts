import type { NestingScanner } from './NestingScanner';

/** Ends of comments, CDATA sections and instructions, by the text after their `<`. */
const ends = new Map([[ '!--', '-->' ], [ '![CDATA[', ']]>' ], [ '?', '?>' ]]);
const documentType = '!DOCTYPE';
const heads = [ ...ends.keys(), documentType ];

/**
 * Maximum characters of the bases that apply in one place: relative IRIs are resolved against the whole of it, which
 * would take minutes.
 */
const maxBaseLength = 4096;
/** The name of such an attribute, up to its value. White space is one character here. */
const baseName = /:base ?= ?$/u;
/** Characters to remember of a tag, for that name. */
const nameLength = 16;

/**
 * Tracks the nesting of XML elements, and the length of bases (`xml:base`). Ignores comments, CDATA sections,
 * instructions, declarations in a document type and other attribute values.
 *
 * @see [XML Base, section 3](https://www.w3.org/TR/xmlbase/#syntax)
 */
export class XmlNesting implements NestingScanner {
  public depth = 0;
  /** Lengths of the bases of the open elements, and their sum. */
  private readonly bases: number[] = [];
  private baseLength = 0;
  /** Last characters of the current tag outside of quotes. */
  private name = '';
  private inBase = false;
  private hasDocumentType = false;
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

  /** True for a base that is too long, or may be by an entity. */
  public isTooMuch = false;

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
        this.name = '';
        this.bases.push(0);
        this.takeInTag(head);
      } else if (head === '/') {
        this.leave();
        this.inEndTag = true;
      } else if (this.inDocumentType) {
        this.inDeclaration = true;
        this.takeInDeclaration(head.slice(-1));
      }
    } else if (head === documentType) {
      this.head = undefined;
      this.inDeclaration = true;
      this.hasDocumentType = true;
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
    const wasQuoted = this.quote !== '';
    if (this.takeInQuotes(character)) {
      this.takeInValue(character, wasQuoted);
    } else if (character === '>') {
      this.inTag = false;
      if (this.tail === '/') {
        this.leave();
      }
    } else {
      const next = character.trim() === '' ? ' ' : character;
      this.name = next === ' ' && this.name.endsWith(' ') ? this.name : (this.name + next).slice(-nameLength);
    }
    this.tail = character;
  }

  private takeInValue(character: string, wasQuoted: boolean): void {
    if (!wasQuoted) {
      this.inBase = baseName.test(this.name);
      this.name = '';
    } else if (this.inBase && this.quote !== '') {
      // Of the open element, whose attribute this is.
      this.bases.push(this.bases.pop()! + 1);
      this.baseLength += 1;
      this.isTooMuch ||= this.baseLength > maxBaseLength || (this.hasDocumentType && character === '&');
    }
  }

  private leave(): void {
    this.depth -= 1;
    this.baseLength -= this.bases.pop() ?? 0;
  }
}
