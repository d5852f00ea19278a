import * as jsonld from 'jsonld';
import { ContextWork } from '../platform/ContextWork';
import { hasHalfCharacter } from '../platform/hasHalfCharacter';
import { isRecord } from '../platform/isRecord';
import { ContextCache } from './ContextCache';
import type { DocumentLoader } from './documentLoader';
import { ContextUnknown } from './documentLoader';

/**
 * Bounds on a document, because a hostile document can make expanding and canonicalizing very slow. Its JSON may have
 * as many values as statements, which bounds the work in advance.
 */
export const limits = { bytes: 1024 * 1024, depth: 32, quads: 5000, blankNodes: 100, comparisons: 1_000_000 } as const;

/** A document has no canonical form here. The message explains why, without data of the document. */
export class NotCanonicalizable extends Error {
  public constructor(message: string, options?: { cause?: unknown }) {
    super(message, options);
    this.name = 'NotCanonicalizable';
  }
}

/** The document exceeds one of the {@link limits}. */
export class DocumentTooLarge extends NotCanonicalizable {}

/** The statements of a JSON-LD document. */
export interface Statements {
  /** Canonical N-Quads, which a proof covers. */
  nquads: string;
  /**
   * Keywords that make statements about something other than the surrounding object: `@graph`, `@included`, `@reverse`.
   */
  keywords: ReadonlySet<string>;
  /** Ids that have statements in more than one place of the document. */
  restated: ReadonlySet<string>;
}

/**
 * Returns the canonical N-Quads of a JSON-LD document in safe mode: members without meaning in RDF are an error, never
 * left out.
 *
 * @throws NotCanonicalizable when the document is too large, names an unknown context, or has terms without meaning.
 *
 * @see [RDF Dataset Canonicalization 1.0](https://www.w3.org/TR/rdf-canon/#canon-algorithm)
 */
export async function canonicalize(document: object, load: DocumentLoader): Promise<string> {
  return (await readStatements(document, load)).nquads;
}

/**
 * Returns the canonical statements of a JSON-LD document, and how the document makes them.
 *
 * @throws NotCanonicalizable
 */
export async function readStatements(document: object, load: DocumentLoader): Promise<Statements> {
  checkText(document);
  const options: object = {
    base: null,
    safe: true,
    rdfDirection: 'i18n-datatype',
    documentLoader: load,
    contextResolver: contextsOf(load),
  };
  const expanded = await meaningful(async(): Promise<object> => jsonld.expand(document, options));
  const { keywords, restated } = new ExpandedLook(expanded);
  // The library's types do not declare all of these options.
  const canonical: object = {
    ...options,
    skipExpansion: true,
    canonizeOptions: { algorithm: 'RDFC-1.0', format: 'application/n-quads' },
  };
  const nquads = await meaningful(async(): Promise<string> => jsonld.canonize(expanded, canonical));
  checkDataset(nquads);
  return { nquads, keywords, restated };
}

/** A loader always gives the same contexts. */
const caches = new WeakMap<DocumentLoader, ContextCache>();

function contextsOf(load: DocumentLoader): ContextCache {
  const known = caches.get(load) ?? new ContextCache(load);
  caches.set(load, known);
  return known;
}

async function meaningful<T>(read: () => Promise<T>): Promise<T> {
  try {
    return await read();
  } catch (error: unknown) {
    throw new NotCanonicalizable(reasonOf(error), { cause: error });
  }
}

/** Walks an expanded document once, before statements are made from it. */
class ExpandedLook {
  public readonly keywords = new Set<string>();
  public readonly restated = new Set<string>();
  private readonly stated = new Set<string>();
  /** Number of comparisons for finding duplicates: the square of the number of values of a property. */
  private comparisons = 0;

  private readonly blankNames = new Set<string>();
  private unnamed = 0;

  public constructor(expanded: unknown) {
    this.inspect(expanded);
    if (this.unnamed + this.blankNames.size > limits.blankNodes) {
      throw new DocumentTooLarge(`it has more than ${limits.blankNodes} blank nodes`);
    }
  }

  private inspect(value: unknown): void {
    if (Array.isArray(value)) {
      this.comparisons += value.length ** 2;
      if (this.comparisons > limits.comparisons) {
        throw new DocumentTooLarge('it has too many values of one property');
      }
      this.inspectAll(value);
    } else if (isRecord(value)) {
      this.inspectObject(value);
    }
  }

  private inspectAll(values: unknown[]): void {
    for (const value of values) {
      this.inspect(value);
    }
  }

  private inspectObject(value: Record<string, unknown>): void {
    if ('@index' in value) {
      throw new NotCanonicalizable('it has an index, which no statement keeps');
    }
    if (Array.isArray(value['@list'])) {
      this.unnamed += value['@list'].length;
      this.inspectAll(value['@list']);
    } else if (!('@value' in value)) {
      this.inspectNode(value);
    }
  }

  private inspectNode({ '@id': id, ...members }: Record<string, unknown>): void {
    this.note(id, Object.keys(members).length > 0);
    for (const [ member, value ] of Object.entries(members)) {
      if (member === '@reverse' && isRecord(value)) {
        this.keywords.add(member);
        this.inspectAll(Object.values(value));
      } else {
        this.inspect(value);
      }
      if (member === '@graph' || member === '@included') {
        this.keywords.add(member);
      }
    }
  }

  private note(id: unknown, isStated: boolean): void {
    if (typeof id !== 'string') {
      this.unnamed += 1;
      return;
    }
    if (id.startsWith('_:')) {
      this.blankNames.add(id);
    }
    if (isStated) {
      (this.stated.has(id) ? this.restated : this.stated).add(id);
    }
  }
}

function checkText(document: object): void {
  const { depth, values } = measure(document);
  if (depth > limits.depth) {
    throw new DocumentTooLarge(`it is nested deeper than ${limits.depth} levels`);
  }
  if (values > limits.quads) {
    throw new DocumentTooLarge(`it has more than ${limits.quads} values`);
  }
  const text = JSON.stringify(document);
  if (Buffer.byteLength(text) > limits.bytes) {
    throw new DocumentTooLarge(`it is larger than ${limits.bytes} bytes`);
  }
  if (ContextWork.of(text).isTooMuch) {
    throw new DocumentTooLarge('its contexts take too long to process');
  }
}

/**
 * Measures the nesting of JSON, no deeper than the limit, and its number of values outside of contexts.
 *
 * @throws NotCanonicalizable for members that reach prototypes, and half characters.
 */
export function measure(value: unknown, above = 0): { depth: number; values: number } {
  requireWhole(value);
  if (typeof value !== 'object' || value === null || above > limits.depth) {
    return { depth: above, values: 1 };
  }
  const measured = { depth: above + 1, values: 1 };
  for (const [ member, part ] of Object.entries(value)) {
    if (member === '__proto__') {
      throw new NotCanonicalizable('it has a member that reaches prototypes');
    }
    requireWhole(member);
    const { depth, values } = measure(part, above + 1);
    measured.depth = Math.max(measured.depth, depth);
    measured.values += member === '@context' ? 0 : values;
  }
  return measured;
}

/** Half characters differ in JSON only: signatures cover UTF-8, in which all of them are U+FFFD. */
function requireWhole(value: unknown): void {
  if (typeof value === 'string' && hasHalfCharacter(value)) {
    throw new NotCanonicalizable('it has half a character');
  }
}

/**
 * Matches the first blank node beyond the limit as subject, object or graph, but never within a literal, which ends in
 * a quote.
 */
const tooManyBlankNodes = new RegExp(
  String.raw`^_:c14n${limits.blankNodes} |^\S+ \S+ _:c14n${limits.blankNodes} | _:c14n${limits.blankNodes} \.$`,
  'mu',
);

function checkDataset(nquads: string): void {
  if (nquads.split('\n').length - 1 > limits.quads) {
    throw new DocumentTooLarge(`it has more than ${limits.quads} statements`);
  }
  if (tooManyBlankNodes.test(nquads)) {
    throw new DocumentTooLarge(`it has more than ${limits.blankNodes} blank nodes`);
  }
}

function reasonOf(error: unknown): string {
  const unknown = unknownContext(error);
  if (unknown) {
    return unknown.message;
  }
  if (!isRecord(error) || !isRecord(error.details)) {
    return 'its blank nodes take too long to canonicalize';
  }
  const code = isRecord(error.details.event) ? error.details.event.code : undefined;
  return typeof code === 'string' ? `it has a part without meaning: ${code}` : 'it is not valid JSON-LD';
}

function unknownContext(error: unknown): ContextUnknown | undefined {
  if (error instanceof ContextUnknown) {
    return error;
  }
  return isRecord(error) && isRecord(error.details) ? unknownContext(error.details.cause) : undefined;
}
