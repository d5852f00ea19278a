import type { KeyObject } from 'node:crypto';

/**
 * Secret keys of 32 bytes: for look-ups of national numbers, for all that is encrypted at rest, and for what is derived
 * from one that lives shortly (tickets and tokens of the authorization server, ids of data values).
 */
export type SecretName = 'blind-index' | 'encryption' | 'tokens';

/** Purpose of a signing key: each issuer has keys of its own. */
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

/** A key in use cannot be read here, though the records know it: files are missing, or others than on record. */
export class KeyUnavailable extends Error {
  public readonly code = 'ERR_KEY_UNAVAILABLE';
}

/**
 * The keys of this service: files now, a key management service later.
 * Keys are made only when the records are empty; missing or different keys stop the start.
 */
export interface KeyStore {
  /** The one in use. */
  getSecret: (name: SecretName) => Buffer;
  /** The one in use, and then those that were: what was written under them is still there. */
  getSecrets: (name: SecretName) => Buffer[];
  /** The first signs, all verify: the newest first, and last those that are published but do not sign yet. */
  getSigningKeys: (purpose: SigningPurpose) => SigningKey[];
  /**
   * Looks for keys that another process has added or put to use: before something is signed or published, and when a
   * key is not found. Not to be called within a transaction.
   *
   * @returns Whether anything had changed.
   *
   * @throws KeyUnavailable when a key in use cannot be read here; {@link lacksKeys} is true from then on.
   */
  refresh: () => Promise<boolean>;
  /** True from when a key in use could not be read until all can be. */
  readonly lacksKeys?: boolean;
}
