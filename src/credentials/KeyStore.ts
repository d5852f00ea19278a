import type { KeyObject } from 'node:crypto';
import type { Signer } from './Signer';

/**
 * Secret keys of 32 bytes: for look-ups of national numbers, for encryption at rest, and for deriving keys of
 * short-lived data (tickets and tokens of the authorization server, ids of data values).
 */
export type SecretName = 'blind-index' | 'encryption' | 'tokens';

/** Purpose of a signing key: each issuer has keys of its own. */
export type SigningPurpose = 'grants' | 'credentials';

/** An Ed25519 signing key. Its private key need not be in this process. */
export interface SigningKey {
  /** Fragment of its verification method, stable for the life of the key. */
  id: string;
  publicKey: KeyObject;
  /**
   * Signs bytes. Do not call it within a transaction: it may call another machine.
   *
   * @throws KeyUnavailable when the key cannot be used now.
   */
  sign: (bytes: Uint8Array) => Promise<Uint8Array>;
  /** Multikey form of the public key: `z6Mk…`. */
  publicKeyMultibase: string;
}

/**
 * A key in use is not available here: its file is missing or does not match the records, or a {@link Signer} does not
 * sign.
 */
export class KeyUnavailable extends Error {
  public readonly code = 'ERR_KEY_UNAVAILABLE';
}

/**
 * The keys of this service: secrets in files, and signing keys in files or at a {@link Signer}. Key files are created
 * only when the records are empty; missing or different keys stop the start.
 */
export interface KeyStore {
  /** Returns the secret in use. */
  getSecret: (name: SecretName) => Buffer;
  /** Returns the secret in use, then earlier ones, for data still stored under them. */
  getSecrets: (name: SecretName) => Buffer[];
  /**
   * Returns the signing keys: the first signs, all verify. Newest first; published keys that do not sign yet come last.
   */
  getSigningKeys: (purpose: SigningPurpose) => SigningKey[];
  /**
   * Returns keys for requesting party tokens at a {@link Signer}: the first signs, all verify. Empty when the keys of
   * tokens are derived from the secret for tokens.
   */
  getTokenKeys: () => readonly SigningKey[];
  /**
   * Looks for keys that another process has added or put to use. Call it before signing or publishing, and when a key
   * is not found, but not within a transaction.
   *
   * @returns True when anything has changed.
   *
   * @throws KeyUnavailable when a key in use cannot be read here; {@link lacksKeys} is true from then on.
   */
  refresh: () => Promise<boolean>;
  /** True from when a key in use could not be read until all can be read. */
  readonly lacksKeys?: boolean;
}
