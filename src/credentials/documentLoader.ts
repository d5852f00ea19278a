import { readFileSync } from 'node:fs';
import { join } from 'node:path';

/** What the JSON-LD processor wants of a document; `static` lets it keep the processed context for good. */
export interface LoadedDocument {
  documentUrl: string;
  document: object;
  tag?: 'static';
}

/** Answers JSON-LD context URLs, from what is shipped or registered alone. */
export type DocumentLoader = (url: string) => Promise<LoadedDocument>;

/** A JSON-LD document names a context that this service does not know. It is never fetched. */
export class ContextUnknown extends Error {
  public constructor(public readonly url: string) {
    super(`The JSON-LD context ${url} is not known here`);
    this.name = 'ContextUnknown';
  }
}

/** URLs of the contexts that ship with the package, by what the code calls them. */
export const CONTEXTS = {
  credentialsV1: 'https://www.w3.org/2018/credentials/v1',
  credentialsV2: 'https://www.w3.org/ns/credentials/v2',
  inruptV1: 'https://schema.inrupt.com/credentials/v1.jsonld',
  inruptV2: 'https://schema.inrupt.com/credentials/v2.jsonld',
  ed25519Suite: 'https://w3id.org/security/suites/ed25519-2020/v1',
  dataIntegrityV1: 'https://w3id.org/security/data-integrity/v1',
  dataIntegrityV2: 'https://w3id.org/security/data-integrity/v2',
  revocationList: 'https://w3id.org/vc-revocation-list-2020/v1',
  statusList2021: 'https://w3id.org/vc/status-list/2021/v1',
  multikey: 'https://w3id.org/security/multikey/v1',
  controlledIdentifier: 'https://www.w3.org/ns/cid/v1',
} as const;

const files: Record<string, string> = {
  [CONTEXTS.credentialsV1]: 'credentials-v1',
  [CONTEXTS.credentialsV2]: 'credentials-v2',
  [CONTEXTS.inruptV1]: 'inrupt-v1',
  [CONTEXTS.inruptV2]: 'inrupt-v2',
  [CONTEXTS.ed25519Suite]: 'ed25519-2020-v1',
  [CONTEXTS.dataIntegrityV1]: 'data-integrity-v1',
  [CONTEXTS.dataIntegrityV2]: 'data-integrity-v2',
  [CONTEXTS.revocationList]: 'revocation-list-2020-v1',
  [CONTEXTS.statusList2021]: 'status-list-2021-v1',
  [CONTEXTS.multikey]: 'multikey-v1',
  [CONTEXTS.controlledIdentifier]: 'cid-v1',
};

// Both src/credentials and dist/credentials lie two folders below the package root.
const folder = join(__dirname, '..', '..', 'templates', 'contexts');

/** Files of the contexts that ship with the package, by URL. */
export const contextFiles: Readonly<Record<string, string>> = Object.fromEntries(
  Object.entries(files).map(([ url, name ]): [string, string] => [ url, join(folder, `${name}.json`) ]),
);

function readContext(file: string): object {
  return frozen(JSON.parse(readFileSync(file, 'utf8')) as object);
}

/** What contexts are processed to is kept for good: nobody may change them. */
function frozen<T extends object>(value: T): T {
  for (const part of Object.values(value)) {
    if (typeof part === 'object' && part !== null) {
      frozen(part as object);
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
