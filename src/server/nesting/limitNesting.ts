import { Readable } from 'node:stream';
import { BadRequestHttpError, guardStream } from '@solid/community-server';
import type { Guarded } from '@solid/community-server';
import { ContextWork } from '../../platform/ContextWork';
import { bytesOf } from '../../platform/bytesOf';
import { N3Nesting } from './N3Nesting';
import type { NestingScanner } from './NestingScanner';
import { XmlNesting } from './XmlNesting';

/** Deeper than anything that somebody means. */
const maxDepth = 100;
/** Bytes that are looked at before anything is answered. */
const readFirst = 1024 * 1024;
/** JSON-LD is taken apart all at once, at its end: five times as much takes a second, and all else waits meanwhile. */
const mostJsonBytes = 256 * 1024;

/**
 * A document as it comes, up to where it is nested too deeply: what takes JSON-LD, XML and N3 apart takes ever longer
 * the deeper they are, and stops everything else meanwhile.
 *
 * @param document - Bytes or text.
 * @param contentType - Other than JSON, XML and N3 are left as they are.
 * @param work - Of the contexts, when it is JSON-LD.
 *
 * @throws BadRequestHttpError when it is nested too deeply, its contexts make too much work, it is JSON-LD that is too
 * long, or XML that ends early; further in than its first MiB, its stream ends with it.
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
  // The response goes out on the same connection.
  let read = 0;
  for await (const chunk of document.iterator({ destroyOnReturn: false })) {
    const bytes = bytesOf(chunk);
    read += bytes.length;
    if (scanner instanceof ContextWork && read > mostJsonBytes) {
      throw new BadRequestHttpError(`JSON-LD is read as RDF up to ${mostJsonBytes} bytes.`);
    }
    // Nothing that counts is outside of ASCII, whatever the encoding.
    for (const character of bytes.toString('latin1')) {
      scanner.take(character);
      requireShallow(scanner.depth);
    }
    if (scanner.isTooMuch) {
      throw new BadRequestHttpError('The contexts of the document are too complex.');
    }
    yield bytes;
  }
  // A possible beginning of an IRI was none.
  scanner.take('\n');
  requireShallow(scanner.depth);
  if (scanner.isUnfinished) {
    throw new BadRequestHttpError('The document ends before it is complete.');
  }
}

/** @throws BadRequestHttpError when that is too deep. */
export function requireShallow(depth: number): void {
  if (depth > maxDepth) {
    throw new BadRequestHttpError(`A document may be nested ${maxDepth} deep.`);
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
  // Turtle is taken apart as fast at any depth.
  return /\bn3\b/iu.test(contentType) ? new N3Nesting() : undefined;
}
