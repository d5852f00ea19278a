import { Readable } from 'node:stream';
import { BadRequestHttpError, guardStream } from '@solid/community-server';
import type { Guarded } from '@solid/community-server';

/** Follows how deep a document is nested. */
interface Scanner {
  depth: number;
  /** Takes the next character. */
  take: (character: string) => void;
}

/** Deeper than anything that somebody means. */
const maxDepth = 100;
/** Bytes that are looked at before anything is answered. */
const readFirst = 1024 * 1024;

/**
 * A document as it comes, up to where it is nested too deeply: what takes JSON-LD, XML and N3 apart takes ever longer
 * the deeper they are, and stops everything else meanwhile.
 *
 * @param document - Bytes or text.
 * @param contentType - Other than JSON, XML, N3 and SPARQL updates are left as they are.
 *
 * @throws BadRequestHttpError when it is nested too deeply; further in than its first MiB, its stream ends with it.
 */
export async function limitNesting(document: Guarded<Readable>, contentType: string): Promise<Guarded<Readable>> {
  const scanner = scannerOf(contentType);
  if (!scanner) {
    return document;
  }
  const chunks = scan(document, scanner);
  const first: Buffer[] = [];
  let isWhole = false;
  for (let bytes = 0; bytes < readFirst && !isWhole;) {
    const next = await chunks.next();
    if (next.done) {
      isWhole = true;
    } else {
      first.push(next.value);
      bytes += next.value.length;
    }
  }
  return guardStream(Readable.from(isWhole ? first : both(first, chunks), { objectMode: false }));
}

async function* scan(document: Readable, scanner: Scanner): AsyncGenerator<Buffer, void> {
  // Whoever sends it is answered on the same connection.
  for await (const chunk of document.iterator({ destroyOnReturn: false })) {
    const bytes = Buffer.from(chunk as string);
    // Nothing that counts is outside of ASCII, whatever the encoding.
    for (const character of bytes.toString('latin1')) {
      scanner.take(character);
      if (scanner.depth > maxDepth) {
        throw new BadRequestHttpError(`A document may be nested ${maxDepth} deep.`);
      }
    }
    yield bytes;
  }
}

async function* both(first: Buffer[], rest: AsyncGenerator<Buffer, void>): AsyncGenerator<Buffer> {
  yield* first;
  yield* rest;
}

function scannerOf(contentType: string): Scanner | undefined {
  if (/json/iu.test(contentType)) {
    return new JsonScanner();
  }
  if (/xml/iu.test(contentType)) {
    return new XmlScanner();
  }
  // Turtle is taken apart as fast at any depth.
  return /\b(?:n3|sparql-update)\b/iu.test(contentType) ? new N3Scanner() : undefined;
}

/** Strings count for nothing. */
class JsonScanner implements Scanner {
  public depth = 0;
  private inString = false;
  private escaped = false;

  public take(character: string): void {
    if (this.inString) {
      this.inString = character !== '"' || this.escaped;
      this.escaped = character === '\\' && !this.escaped;
    } else if (character === '"') {
      this.inString = true;
    } else if (character === '[' || character === '{') {
      this.depth += 1;
    } else if (character === ']' || character === '}') {
      this.depth -= 1;
    }
  }
}

/** Within an IRI, these tell that it is none, but a comparison. */
const noIri = /[\s"{}|^`\\<]/u;

/** Strings, IRIs and comments count for nothing. */
class N3Scanner implements Scanner {
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

/** What ends that which begins so. */
const ends = new Map([[ '!--', '-->' ], [ '![CDATA[', ']]>' ], [ '?', '?>' ]]);

/** Comments, sections of text, instructions and values of attributes count for nothing. */
class XmlScanner implements Scanner {
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
