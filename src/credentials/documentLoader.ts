import { readFileSync } from 'node:fs';
import { contextFiles } from '../platform/contextFiles';
import { parseOwn } from '../platform/ownJson';

/** A document as the JSON-LD processor takes it; `static` lets it keep the processed context for good. */
export interface LoadedDocument {
  documentUrl: string;
  document: object;
  tag?: 'static';
}

/** Loads JSON-LD contexts by URL: only shipped or registered ones. */
export type DocumentLoader = (url: string) => Promise<LoadedDocument>;

/** A JSON-LD document names a context that this service does not know. It is never fetched. */
export class ContextUnknown extends Error {
  public constructor(public readonly url: string) {
    super(`The JSON-LD context ${url} is not known here`);
    this.name = 'ContextUnknown';
  }
}

function readContext(file: string): object {
  return frozen(parseOwn<object>(readFileSync(file, 'utf8')));
}

/** Freezes a context, because the processor caches its result forever. */
function frozen<T extends object>(value: T): T {
  const parts: unknown[] = Object.values(value);
  for (const part of parts) {
    if (typeof part === 'object' && part !== null) {
      frozen(part);
    }
  }
  return Object.freeze(value);
}

/**
 * A document loader that answers the shipped contexts and the given ones, and nothing else.
 *
 * @param own - Contexts this server publishes itself, by URL. They never replace a shipped one.
 *
 * @throws ContextUnknown (the loader) on any other URL.
 */
export function createDocumentLoader(own: ReadonlyMap<string, object> = new Map()): DocumentLoader {
  const shipped = new Map<string, LoadedDocument>();
  for (const [ url, file ] of Object.entries(contextFiles)) {
    shipped.set(url, { documentUrl: url, document: readContext(file), tag: 'static' });
  }
  return async(url): Promise<LoadedDocument> => {
    const known = shipped.get(url);
    if (known) {
      return known;
    }
    const document = own.get(url);
    if (!document) {
      throw new ContextUnknown(url);
    }
    return { documentUrl: url, document };
  };
}
