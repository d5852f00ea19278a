import type { KeyObject } from 'node:crypto';
import { createPublicKey, sign } from 'node:crypto';
import type { SigningKey } from './KeyStore';

/** Signs with an Ed25519 private key of this process. */
export function localKey(privateKey: KeyObject): Pick<SigningKey, 'publicKey' | 'sign'> {
  return {
    publicKey: createPublicKey(privateKey),
    sign: async(bytes): Promise<Uint8Array> => sign(null, bytes, privateKey),
  };
}
