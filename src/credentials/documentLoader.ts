import { readFileSync } from 'node:fs';
import { contextFiles } from '../platform/contextFiles';
import { parseOwn } from '../platform/ownJson';

/** A document for the JSON-LD processor; `static` allows caching the processed context permanently. */
export interface LoadedDocument {
  documentUrl: string;
  document: object;
  tag?: 'static';
}

/** Loads JSON-LD contexts by URL, only shipped or registered ones. */
export type DocumentLoader = (url: string) => Promise<LoadedDocument>;

/** A JSON-LD document names a context that is unknown here. It is never fetched. */
export class ContextUnknown extends Error {
  public constructor(public readonly url: string) {
    super(`The JSON-LD context ${url} is not known here`);
    this.name = 'ContextUnknown';
  }
}

function readContext(file: string): object {
  return frozen(parseOwn<object>(readFileSync(file, 'utf8')));
}

/** Freezes a context, because the processor caches its result permanently. */
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
 * Creates a document loader that knows only the shipped contexts and the given ones.
 *
 * @param own - Contexts that this server publishes, by URL. They never replace a shipped one.
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
