import type { KeyObject } from 'node:crypto';
import { createPrivateKey } from 'node:crypto';
import { deriveKey } from '../platform/deriveKey';

/** Keys of the authorization server, the same in every serving process. */
export interface UmaKeys {
  /** Key of the MAC on permission tickets. */
  tickets: Buffer;
  /** Ed25519 key for signing RPTs only. */
  tokens: KeyObject;
}

/** Prefix of an Ed25519 private key in PKCS #8, before its 32 bytes (RFC 8410, section 7). */
const pkcs8Prefix = Buffer.from('302e020100300506032b657004220420', 'hex');

/** Derives the keys of the authorization server from an existing secret of the service. */
export function deriveUmaKeys(secret: Buffer): UmaKeys {
  const seed = deriveKey(secret, 'uma requesting party tokens');
  return {
    tickets: deriveKey(secret, 'uma permission tickets'),
    tokens: createPrivateKey({ key: Buffer.concat([ pkcs8Prefix, seed ]), format: 'der', type: 'pkcs8' }),
  };
}
