import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { DataIntegrityProof } from '@digitalbazaar/data-integrity';
import { Ed25519Signature2020 } from '@digitalbazaar/ed25519-signature-2020';
import { cryptosuite } from '@digitalbazaar/eddsa-rdfc-2022-cryptosuite';

/** A document of JSON-LD. */
export type Document = Record<string, any>;

const contexts = join(__dirname, '../../templates/contexts');

/** Contexts published elsewhere, which clients have cached. */
const published = new Map([
  [ 'https://www.w3.org/2018/credentials/v1', 'credentials-v1' ],
  [ 'https://www.w3.org/ns/credentials/v2', 'credentials-v2' ],
  [ 'https://schema.inrupt.com/credentials/v2.jsonld', 'inrupt-v2' ],
  [ 'https://w3id.org/security/suites/ed25519-2020/v1', 'ed25519-2020-v1' ],
  [ 'https://w3id.org/vc-revocation-list-2020/v1', 'revocation-list-2020-v1' ],
  [ 'https://w3id.org/security/multikey/v1', 'multikey-v1' ],
  [ 'https://www.w3.org/ns/cid/v1', 'cid-v1' ],
]);

/** Documents fetched from the server. */
export const fetched = new Set<string>();

/** Loads documents like a third party: published contexts from a cache, everything else by HTTP without a token. */
export async function load(url: string): Promise<object> {
  const name = published.get(url);
  if (name !== undefined) {
    const document = JSON.parse(readFileSync(join(contexts, `${name}.json`), 'utf8')) as object;
    return { documentUrl: url, document };
  }
  const response = await fetch(url, { headers: { accept: 'application/ld+json, application/json' }});
  if (response.status !== 200) {
    throw new Error(`${url} answered ${response.status}`);
  }
  fetched.add(url.split('#')[0]);
  const document = await response.json() as Document;
  const methods = document.verificationMethod as Document[] | undefined;
  const method = methods?.find(({ id }): boolean => id === url);
  return { documentUrl: url, document: method ? { '@context': document['@context'], ...method } : document };
}

/** Suites of public libraries for the proofs of this server. */
export function suites(): object[] {
  return [ new Ed25519Signature2020(), new DataIntegrityProof({ cryptosuite }) ];
}

/** Options of a public library for the verification of a credential by a third party. */
export function options(credential: Document): { credential: Document; suite: object[]; documentLoader: typeof load } {
  return { credential, suite: suites(), documentLoader: load };
}
