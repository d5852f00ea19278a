import { isRecord } from './isRecord';

/** Maximum product of the number of terms and the passes over them: about half a second. */
const maxWork = 500_000;
/** Maximum terms in the contexts of a document itself, each of which may be defined by the previous one. */
const maxOwnTerms = 1000;
/** Maximum terms of a fetched context: more than the largest vocabularies have. */
const maxTerms = 5000;
/** Maximum parts of a fetched context, and maximum length of a chain of terms defined by each other. */
const maxParts = 10;
const maxChain = 10;
/** Maximum length of `@context` with every character escaped. */
const maxNameLength = 48;
/** Maximum characters of all bases together: each relative IRI is resolved against the whole of it. */
const maxBaseLength = 2048;
/**
 * Length from which a text in a context counts, and maximum product of the sum of such lengths and the number of
 * values: each may repeat the text.
 */
const longText = 256;
const maxRepeated = 16 * 1024 * 1024;
/** Depth to which a value costs about the same, and maximum sum of the squares of greater ones: a fifth of a second. */
const usualDepth = 16;
const maxDeepWork = 1_000_000;

/** Content of a pair of brackets. */
type Frame = 'context' | 'contexts' | 'scopedContexts' | 'definition' | 'data';

/**
 * Tracks the cost of the contexts of a JSON-LD document. Parsers go through all active terms each time that a context
 * is added to them, for each node and value with a context of its own: a few kilobytes can keep a process busy for
 * minutes.
 */
export class ContextWork {
  private terms = 0;
  private ownTerms = 0;
  /** Number of contexts used in place. */
  private contexts = 0;
  /** Maximum number of scoped contexts of terms and types that one use adds. */
  private scoped = 0;
  /** Number of members and values outside of contexts: each may use scoped contexts. */
  private values = 0;

  private readonly frames: Frame[] = [];
  private string?: string;
  private escaped = false;
  private baseLength = 0;
  /** True in the value of `@base`. */
  private inBase = false;
  /** Length of the current string, and of all long ones in contexts. */
  private length = 0;
  private longTexts = 0;
  /** Sum of the squares of the depths of values that are deeper than usual. */
  private deepWork = 0;
  /** The last string, while it may still be the name of a member. */
  private last?: string;
  /** True when the next value is that of `@context`. */
  private afterName = false;

  /** Returns the cost of a whole document. */
  public static of(text: string): ContextWork {
    const work = new ContextWork();
    for (const character of text) {
      work.take(character);
    }
    return work;
  }

  /** Current nesting depth of the document. */
  public get depth(): number {
    return this.frames.length;
  }

  /** True when too many values are nested deeply: parsers look at all that is around each of them, often twice. */
  public get isTooDeep(): boolean {
    return this.deepWork > maxDeepWork;
  }

  /** True when the cost exceeds the maximum. */
  public get isTooMuch(): boolean {
    return this.isTooDeep || this.baseLength > maxBaseLength || this.ownTerms > maxOwnTerms ||
      this.longTexts * this.values > maxRepeated ||
      this.terms * (this.contexts + this.scoped * this.values) > maxWork;
  }

  /** Adds the next character of the document. Characters outside of ASCII may be replaced by any other. */
  public take(character: string): void {
    if (this.string !== undefined) {
      this.takeInString(this.string, character);
    } else if (character === '"') {
      this.string = '';
      this.length = 0;
    } else if (character === ':') {
      this.addMember();
    } else if (character === '{' || character === '[') {
      this.open(character === '{');
    } else if (character === '}' || character === ']') {
      this.end();
      this.frames.pop();
    } else if (character === ',') {
      this.end();
    }
  }

  /**
   * Adds a context that the document refers to.
   *
   * @throws Error when it is too large, or too costly to process.
   */
  public addFetched(document: object): void {
    const fetched = ContextWork.of(JSON.stringify(document));
    if (fetched.terms > maxTerms || fetched.contexts > maxParts || hasLongChain(document)) {
      throw new Error('The context is too large.');
    }
    this.terms += fetched.terms;
    this.scoped += fetched.scoped;
    this.longTexts += fetched.longTexts;
    if (this.isTooMuch) {
      throw new Error('The contexts of the document are too complex.');
    }
  }

  private takeInString(string: string, character: string): void {
    if (character === '"' && !this.escaped) {
      this.last = string;
      this.string = undefined;
      this.baseLength += this.inBase ? this.length : 0;
      this.inBase = false;
      const isOfContext = this.frames.at(-1) === 'context' || this.frames.at(-1) === 'definition';
      this.longTexts += isOfContext && this.length > longText ? this.length : 0;
      return;
    }
    this.length += 1;
    this.escaped = character === '\\' && !this.escaped;
    if (string.length <= maxNameLength) {
      this.string = string + character;
    }
  }

  private addMember(): void {
    const frame = this.frames.at(-1);
    this.afterName = this.last !== undefined && isName(this.last, '@context');
    this.inBase = this.last !== undefined && frame === 'context' && isName(this.last, '@base');
    this.last = undefined;
    if (frame === 'context') {
      this.terms += 1;
      this.ownTerms += 1;
    } else if (frame === 'data') {
      this.values += 1;
    }
  }

  private open(isObject: boolean): void {
    this.inBase = false;
    const frame = this.frames.at(-1);
    const isContext = this.afterName || frame === 'contexts' || frame === 'scopedContexts';
    const isScoped = frame === 'definition' || frame === 'scopedContexts';
    if (isContext && isObject) {
      this.addContext(frame);
      this.frames.push('context');
    } else if (isContext) {
      this.frames.push(isScoped ? 'scopedContexts' : 'contexts');
    } else {
      this.frames.push(isScoped || frame === 'context' ? 'definition' : 'data');
      this.values += 1;
    }
    this.afterName = false;
  }

  /** Handles the end of a value, which may be the URL of a context. */
  private end(): void {
    const frame = this.frames.at(-1);
    this.inBase = false;
    this.deepWork += this.depth > usualDepth ? this.depth ** 2 : 0;
    if (this.last !== undefined && (this.afterName || frame === 'contexts' || frame === 'scopedContexts')) {
      this.addContext(frame);
    }
    this.values += frame === 'data' ? 1 : 0;
    this.last = undefined;
    this.afterName = false;
  }

  /** Adds a context by its place. */
  private addContext(frame: Frame | undefined): void {
    if (frame === 'scopedContexts') {
      this.scoped += 1;
    } else if (frame === 'definition') {
      this.scoped = Math.max(this.scoped, 1);
    } else {
      this.contexts += 1;
    }
  }
}

function isName(text: string, name: string): boolean {
  if (text === name) {
    return true;
  }
  try {
    return text.includes('\\') && JSON.parse(`"${text}"`) === name;
  } catch {
    return false;
  }
}

/** Checks for a long chain of terms that are defined by each other. */
function hasLongChain(document: object): boolean {
  const context: unknown = '@context' in document ? document['@context'] : {};
  const definitions = Object.fromEntries([ context ].flat().filter(isRecord).flatMap(Object.entries<unknown>));
  return Object.keys(definitions).some((term): boolean => {
    let next: string | undefined = term;
    for (let length = 0; next !== undefined && length <= maxChain; length += 1) {
      next = prefixOf(definitions, next);
    }
    return next !== undefined;
  });
}

/** Returns the term by which another is defined. */
function prefixOf(definitions: Record<string, unknown>, term: string): string | undefined {
  const definition = definitions[term];
  const id = isRecord(definition) ? definition['@id'] ?? term : definition;
  const prefix = typeof id === 'string' ? id.split(':')[0] : '';
  return prefix !== term && Object.hasOwn(definitions, prefix) ? prefix : undefined;
}
