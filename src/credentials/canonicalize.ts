import * as jsonld from 'jsonld';
import type { DocumentLoader } from './documentLoader';
import { ContextUnknown } from './documentLoader';
import { isRecord } from './json';

/** What a document may measure before it is canonicalized: canonicalization can be made very slow on purpose. */
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
  const nquads = await toNQuads(document, load);
  checkDataset(nquads);
  return canonicalForm(nquads);
}

async function toNQuads(document: object, load: DocumentLoader): Promise<string> {
  const options: object = {
    format: 'application/n-quads',
    base: null,
    safe: true,
    rdfDirection: 'i18n-datatype',
    produceGeneralizedRdf: false,
    documentLoader: load,
  };
  try {
    const nquads: unknown = await jsonld.toRDF(document, options);
    return nquads as string;
  } catch (error: unknown) {
    throw new NotCanonicalizable(reasonOf(error), { cause: error });
  }
}

async function canonicalForm(nquads: string): Promise<string> {
  const options: object = {
    inputFormat: 'application/n-quads',
    canonizeOptions: { algorithm: 'RDFC-1.0', format: 'application/n-quads' },
  };
  try {
    return await jsonld.canonize(nquads as unknown as jsonld.NodeObject, options);
  } catch (error: unknown) {
    throw new NotCanonicalizable('its blank nodes take too long to tell apart', { cause: error });
  }
}

function checkText(document: object): void {
  if (depthOf(document) > limits.depth) {
    throw new NotCanonicalizable(`it is nested deeper than ${limits.depth} levels`);
  }
  if (Buffer.byteLength(JSON.stringify(document)) > limits.bytes) {
    throw new NotCanonicalizable(`it is larger than ${limits.bytes} bytes`);
  }
}

function depthOf(value: unknown, above = 0): number {
  if (typeof value !== 'object' || value === null || above > limits.depth) {
    return above;
  }
  let deepest = above + 1;
  for (const member of Object.values(value)) {
    deepest = Math.max(deepest, depthOf(member, above + 1));
  }
  return deepest;
}

function checkDataset(nquads: string): void {
  if (nquads.split('\n').length - 1 > limits.quads) {
    throw new NotCanonicalizable(`it has more than ${limits.quads} statements`);
  }
  const bare = nquads.replaceAll(/"(?:[^"\\]|\\.)*"|<[^>]*>/gu, '');
  if (new Set(bare.match(/_:\S+/gu)).size > limits.blankNodes) {
    throw new NotCanonicalizable(`it has more than ${limits.blankNodes} blank nodes`);
  }
}

function reasonOf(error: unknown): string {
  const unknown = unknownContext(error);
  if (unknown) {
    return unknown.message;
  }
  const code = isRecord(error) && isRecord(error.details) && isRecord(error.details.event) ?
    error.details.event.code :
    undefined;
  return typeof code === 'string' ? `it has a part without meaning: ${code}` : 'it is not valid JSON-LD';
}

function unknownContext(error: unknown): ContextUnknown | undefined {
  if (error instanceof ContextUnknown) {
    return error;
  }
  return isRecord(error) && isRecord(error.details) ? unknownContext(error.details.cause) : undefined;
}
