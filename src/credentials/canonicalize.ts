import * as jsonld from 'jsonld';
import { ContextWork } from '../ContextWork';
import { isRecord } from '../isRecord';
import { ContextCache } from './ContextCache';
import type { DocumentLoader } from './documentLoader';
import { ContextUnknown } from './documentLoader';

/**
 * What a document may measure: expanding and canonicalizing can be made very slow on purpose. As many values as
 * statements may stand in its JSON, which bounds the work before it is done.
 */
export const limits = { bytes: 1024 * 1024, depth: 32, quads: 5000, blankNodes: 100 } as const;

/** A document has no canonical form here. The message tells why, and holds no data of the document. */
export class NotCanonicalizable extends Error {
  public constructor(message: string, options?: { cause?: unknown }) {
    super(message, options);
    this.name = 'NotCanonicalizable';
  }
}

/**
 * The canonical N-Quads of a JSON-LD document, in safe mode: what has no meaning in RDF is an error, never left out.
 *
 * @throws NotCanonicalizable when the document is too large, names an unknown context, or has terms without meaning.
 *
 * @see [RDF Dataset Canonicalization 1.0](https://www.w3.org/TR/rdf-canon/#canon-algorithm)
 */
export async function canonicalize(document: object, load: DocumentLoader): Promise<string> {
  checkText(document);
  const nquads = await canonicalForm(document, load);
  checkDataset(nquads);
  return nquads;
}

/** A loader always gives the same contexts. */
const caches = new WeakMap<DocumentLoader, ContextCache>();

function contextsOf(load: DocumentLoader): ContextCache {
  const known = caches.get(load) ?? new ContextCache(load);
  caches.set(load, known);
  return known;
}

async function canonicalForm(document: object, load: DocumentLoader): Promise<string> {
  const options: object = {
    base: null,
    safe: true,
    rdfDirection: 'i18n-datatype',
    documentLoader: load,
    contextResolver: contextsOf(load),
    canonizeOptions: { algorithm: 'RDFC-1.0', format: 'application/n-quads' },
  };
  try {
    return await jsonld.canonize(document, options);
  } catch (error: unknown) {
    throw new NotCanonicalizable(reasonOf(error), { cause: error });
  }
}

function checkText(document: object): void {
  const { depth, values } = measure(document);
  if (depth > limits.depth) {
    throw new NotCanonicalizable(`it is nested deeper than ${limits.depth} levels`);
  }
  if (values > limits.quads) {
    throw new NotCanonicalizable(`it has more than ${limits.quads} values`);
  }
  const text = JSON.stringify(document);
  if (Buffer.byteLength(text) > limits.bytes) {
    throw new NotCanonicalizable(`it is larger than ${limits.bytes} bytes`);
  }
  if (ContextWork.of(text).isTooMuch) {
    throw new NotCanonicalizable('its contexts take too long to work on');
  }
}

/** How deep JSON is nested, looking no deeper than the limit, and how many values it holds outside of contexts. */
function measure(value: unknown, above = 0): { depth: number; values: number } {
  if (typeof value !== 'object' || value === null || above > limits.depth) {
    return { depth: above, values: 1 };
  }
  const measured = { depth: above + 1, values: 1 };
  for (const [ member, part ] of Object.entries(value)) {
    const { depth, values } = measure(part, above + 1);
    measured.depth = Math.max(measured.depth, depth);
    measured.values += member === '@context' ? 0 : values;
  }
  return measured;
}

/** The first blank node beyond the limit as subject, object or graph: never within a literal, which ends in a quote. */
const tooManyBlankNodes = new RegExp(
  String.raw`^_:c14n${limits.blankNodes} |^\S+ \S+ _:c14n${limits.blankNodes} | _:c14n${limits.blankNodes} \.$`,
  'mu',
);

function checkDataset(nquads: string): void {
  if (nquads.split('\n').length - 1 > limits.quads) {
    throw new NotCanonicalizable(`it has more than ${limits.quads} statements`);
  }
  if (tooManyBlankNodes.test(nquads)) {
    throw new NotCanonicalizable(`it has more than ${limits.blankNodes} blank nodes`);
  }
}

function reasonOf(error: unknown): string {
  const unknown = unknownContext(error);
  if (unknown) {
    return unknown.message;
  }
  if (!isRecord(error) || !isRecord(error.details)) {
    return 'its blank nodes take too long to tell apart';
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
