import type { KeyObject } from 'node:crypto';
import { createPublicKey } from 'node:crypto';
import { base58 } from '@scure/base';

const ed25519Prefix = Buffer.from([ 0xED, 0x01 ]);
const keyBytes = 32;

/** Longest base58 text that is decoded, because decoding takes time quadratic in the length. */
const maxLength = 128;

/** Multibase base58-btc: a `z`, then the bytes. */
export function encodeMultibase(bytes: Uint8Array): string {
  return `z${base58.encode(bytes)}`;
}

/** Decodes multibase base58-btc; returns `undefined` for any other text. */
export function decodeMultibase(text: unknown): Buffer | undefined {
  if (typeof text !== 'string' || !text.startsWith('z') || text.length > maxLength) {
    return undefined;
  }
  try {
    return Buffer.from(base58.decode(text.slice(1)));
  } catch {
    return undefined;
  }
}

/**
 * The Multikey form of an Ed25519 public key: `z6Mk…`.
 *
 * @see [Controlled Identifiers v1.0, section 2.2.2, Multikey](https://www.w3.org/TR/cid-1.0/#Multikey)
 */
export function encodeMultikey(key: KeyObject): string {
  // SubjectPublicKeyInfo ends with the key.
  const bytes = key.export({ format: 'der', type: 'spki' }).subarray(-keyBytes);
  return encodeMultibase(Buffer.concat([ ed25519Prefix, bytes ]));
}

/** Decodes an Ed25519 public key in Multikey form; returns `undefined` for any other text. */
export function decodeMultikey(text: unknown): KeyObject | undefined {
  const bytes = decodeMultibase(text);
  if (bytes?.length !== ed25519Prefix.length + keyBytes || !bytes.subarray(0, 2).equals(ed25519Prefix)) {
    return undefined;
  }
  const x = bytes.subarray(2).toString('base64url');
  return createPublicKey({ key: { kty: 'OKP', crv: 'Ed25519', x }, format: 'jwk' });
}
