import type { KeyObject } from 'node:crypto';

/** Secret keys of 32 bytes: for look-ups of national numbers, and for all that is encrypted at rest. */
export type SecretName = 'blind-index' | 'encryption';

/** Which credentials a signing key is for: the issuers are different, and so are their keys. */
export type SigningPurpose = 'grants' | 'credentials';

/** An Ed25519 key pair that signs credentials. */
export interface SigningKey {
  /** Fragment of its verification method: stable for the life of the key. */
  id: string;
  privateKey: KeyObject;
  publicKey: KeyObject;
  /** Multikey form of the public key: `z6Mk…`. */
  publicKeyMultibase: string;
  createdAt: Date;
}

/**
 * The keys of this service: files now, a key management service later.
 * Keys are made only when the records are empty; missing or different keys stop the start.
 */
export interface KeyStore {
  getSecret: (name: SecretName) => Buffer;
  /** Newest first: the first signs, all verify. */
  getSigningKeys: (purpose: SigningPurpose) => SigningKey[];
}
