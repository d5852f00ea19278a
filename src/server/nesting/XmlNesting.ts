import type { NestingScanner } from './NestingScanner';

/** Comments, CDATA sections and instructions: by what stands after their `<`, what ends them. */
const ends = new Map([[ '!--', '-->' ], [ '![CDATA[', ']]>' ], [ '?', '?>' ]]);

/** Nesting of XML: elements. Comments, CDATA sections, instructions and values of attributes count for nothing. */
export class XmlNesting implements NestingScanner {
  public depth = 0;
  /** After a `<`, until it is clear what it begins. */
  private head?: string;
  /** What the end of a comment, section or instruction looks like, and what came last. */
  private end = '';
  private tail = '';
  private inTag = false;
  private quote = '';

  public take(character: string): void {
    if (this.end !== '') {
      this.skip(character);
    } else if (this.head !== undefined) {
      this.begin(this.head + character);
    } else if (this.inTag) {
      this.takeInTag(character);
    } else if (character === '<') {
      this.head = '';
    }
  }

  private skip(character: string): void {
    this.tail = (this.tail + character).slice(-this.end.length);
    if (this.tail === this.end) {
      this.end = '';
    }
  }

  private begin(head: string): void {
    const possible = [ ...ends.keys() ].filter((each): boolean => each.startsWith(head));
    if (possible.length === 0) {
      this.head = undefined;
      if (!/^[!/]/u.test(head)) {
        this.depth += 1;
        this.inTag = true;
        this.tail = '';
        this.takeInTag(head);
      } else if (head === '/') {
        this.depth -= 1;
      }
    } else if (possible[0] === head) {
      this.head = undefined;
      this.end = ends.get(head)!;
      this.tail = '';
    } else {
      this.head = head;
    }
  }

  private takeInTag(character: string): void {
    if (this.quote !== '') {
      this.quote = character === this.quote ? '' : this.quote;
    } else if (character === '"' || character === '\'') {
      this.quote = character;
    } else if (character === '>') {
      this.inTag = false;
      this.depth -= this.tail === '/' ? 1 : 0;
    }
    this.tail = character;
  }
}
