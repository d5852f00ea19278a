import { Readable } from 'node:stream';
import { BadRequestHttpError, guardStream } from '@solid/community-server';
import type { Guarded } from '@solid/community-server';
import { ContextWork } from '../../platform/ContextWork';
import { bytesOf } from '../../platform/bytesOf';
import { N3Nesting } from './N3Nesting';
import type { NestingScanner } from './NestingScanner';
import { XmlNesting } from './XmlNesting';

/** Maximum depth; far more than real documents have. */
const maxDepth = 100;
/** Number of bytes to check before the response starts. */
const readFirst = 1024 * 1024;
/**
 * Maximum bytes of JSON-LD, which is parsed in one go at its end: five times as much takes a second, in which all else
 * waits.
 */
const maxJsonBytes = 256 * 1024;

/**
 * Passes a document on up to where it is nested too deeply: the parsers of JSON-LD, XML and N3 become ever slower with
 * depth, and block everything else meanwhile.
 *
 * @param document - Bytes or text.
 * @param contentType - Types other than JSON, XML and N3 are not checked.
 * @param work - Cost of the contexts of JSON-LD.
 *
 * @throws BadRequestHttpError when the document is nested too deeply, its contexts need too much work, it is too long
 * for JSON-LD, or it is XML that ends early. After the first MiB, the stream is destroyed with this error instead.
 */
export async function limitNesting(
  document: Guarded<Readable>,
  contentType: string,
  work = new ContextWork(),
): Promise<Guarded<Readable>> {
  const scanner = scannerOf(contentType, work);
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

async function* scan(document: Readable, scanner: NestingScanner): AsyncGenerator<Buffer, void> {
  // The response is sent on the same connection.
  let read = 0;
  for await (const chunk of document.iterator({ destroyOnReturn: false })) {
    const bytes = bytesOf(chunk);
    read += bytes.length;
    if (scanner instanceof ContextWork && read > maxJsonBytes) {
      throw new BadRequestHttpError(`JSON-LD is read as RDF up to ${maxJsonBytes} bytes.`);
    }
    // All relevant characters are ASCII, whatever the encoding.
    for (const character of bytes.toString('latin1')) {
      scanner.take(character);
      requireShallow(scanner.depth);
    }
    if (scanner.isTooMuch) {
      throw new BadRequestHttpError(reasonOf(scanner));
    }
    yield bytes;
  }
  // An IRI cannot be open at the end.
  scanner.take('\n');
  requireShallow(scanner.depth);
  if (scanner.isUnfinished) {
    throw new BadRequestHttpError('The document ends before it is complete.');
  }
}

function reasonOf(scanner: NestingScanner): string {
  if (!(scanner instanceof ContextWork)) {
    return 'The base is too long.';
  }
  return scanner.isTooDeep ? 'The document is nested too deeply.' : 'The contexts of the document are too complex.';
}

/** @throws BadRequestHttpError when the depth exceeds the maximum. */
export function requireShallow(depth: number): void {
  if (depth > maxDepth) {
    throw new BadRequestHttpError(`A document may be nested at most ${maxDepth} deep.`);
  }
}

async function* both(first: Buffer[], rest: AsyncGenerator<Buffer, void>): AsyncGenerator<Buffer> {
  yield* first;
  yield* rest;
}

function scannerOf(contentType: string, work: ContextWork): NestingScanner | undefined {
  if (/json/iu.test(contentType)) {
    return work;
  }
  if (/xml/iu.test(contentType)) {
    return new XmlNesting();
  }
  // Turtle is parsed equally fast at any depth.
  return /\bn3\b/iu.test(contentType) ? new N3Nesting() : undefined;
}
