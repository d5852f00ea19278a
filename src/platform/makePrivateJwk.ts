import type { JsonWebKey } from 'node:crypto';
import { generateKeyPairSync } from 'node:crypto';
import { opened } from './opened';

/** The overload of `generateKeyPairSync` that its types lack. */
type MakeJwk = (kind: string, options: object) => { privateKey: JsonWebKey };

/** Name and options of each kind of key in Node.js. */
const kinds = {
  Ed25519: [ 'ed25519', {}],
  'P-256': [ 'ec', { namedCurve: 'P-256' }],
  RSA: [ 'rsa', { modulusLength: 2048 }],
} as const;

/**
 * Makes a key pair, and returns the private key, with the members of the public one.
 *
 * Node.js exports it while making it. In Node.js 20, `export({ format: 'jwk' })` of a key that was made just before may
 * never return, and stop the process: when memory is cleaned up meanwhile, it waits for a lock that it has itself.
 *
 * @see [RFC 7518, section 6](https://www.rfc-editor.org/rfc/rfc7518#section-6),
 * [RFC 8037, section 2](https://www.rfc-editor.org/rfc/rfc8037#section-2)
 */
export function makePrivateJwk(kind: keyof typeof kinds): JsonWebKey {
  const [ name, options ] = kinds[kind];
  const encoding = { format: 'jwk' };
  const { privateKey } = opened<MakeJwk>(generateKeyPairSync)(name, {
    ...options,
    privateKeyEncoding: encoding,
    publicKeyEncoding: encoding,
  });
  return privateKey;
}
