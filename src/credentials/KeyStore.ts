import type { KeyObject } from 'node:crypto';
import type { Signer } from './Signer';

/**
 * Secret keys of 32 bytes: for look-ups of national numbers, for all that is encrypted at rest, and for what is derived
 * from one that lives shortly (tickets and tokens of the authorization server, ids of data values).
 */
export type SecretName = 'blind-index' | 'encryption' | 'tokens';

/** Purpose of a signing key: each issuer has keys of its own. */
export type SigningPurpose = 'grants' | 'credentials';

/** An Ed25519 key that signs. Its private key need not be in this process. */
export interface SigningKey {
  /** Fragment of its verification method: stable for the life of the key. */
  id: string;
  publicKey: KeyObject;
  /**
   * Signs bytes. Not to be called within a transaction: it may take a call to another machine.
   *
   * @throws KeyUnavailable when the key cannot be used now.
   */
  sign: (bytes: Uint8Array) => Promise<Uint8Array>;
  /** Multikey form of the public key: `z6Mk…`. */
  publicKeyMultibase: string;
}

/**
 * A key in use cannot be used here: its file is missing, or another one than on record, or a {@link Signer} does not
 * sign.
 */
export class KeyUnavailable extends Error {
  public readonly code = 'ERR_KEY_UNAVAILABLE';
}

/**
 * The keys of this service: secrets in files, and signing keys in files or where a {@link Signer} keeps them.
 * Keys in files are made only when the records are empty; missing or different keys stop the start.
 */
export interface KeyStore {
  /** The one in use. */
  getSecret: (name: SecretName) => Buffer;
  /** The one in use, and then those that were: what was written under them is still there. */
  getSecrets: (name: SecretName) => Buffer[];
  /** The first signs, all verify: the newest first, and last those that are published but do not sign yet. */
  getSigningKeys: (purpose: SigningPurpose) => SigningKey[];
  /**
   * Keys of requesting party tokens that a {@link Signer} keeps: the first signs, all verify. None when tokens are
   * signed with what is derived from the secret of tokens.
   */
  getTokenKeys: () => readonly SigningKey[];
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
