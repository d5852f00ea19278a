import type { KeyObject } from 'node:crypto';

/**
 * Purpose of a key that a {@link Signer} keeps: access grants, credentials of personal data, requesting party tokens.
 */
export type SignerPurpose = 'grants' | 'credentials' | 'tokens';

/** The public half of a key that a {@link Signer} keeps. */
export interface SignerKey {
  /** Stable for the life of the key, and part of the URL of its public key: letters, digits, `-` and `_`. */
  id: string;
  purpose: SignerPurpose;
  /** An Ed25519 public key. */
  publicKey: KeyObject;
}

/**
 * Keeps signing keys where their private halves cannot be read: an HSM, or a key management service. A configuration
 * gives one to the `DataSharingRecords`; without it, signing keys are files in the folder of `--keys`. Secrets are
 * files in any case.
 */
export interface Signer {
  /**
   * Lists the public keys. It is called at the start and every ten seconds.
   *
   * @returns For each purpose at least one: the first signs, all verify. A new key is first listed in a later place,
   * and moved to the front two minutes later, when nobody has an older copy of the key document. A key stays listed
   * for as long as something that it signed must hold.
   */
  listKeys: () => Promise<SignerKey[]>;
  /**
   * Signs.
   *
   * @param keyId - Id of one of the keys.
   * @param bytes - What is signed, at most a few kilobytes: not a hash.
   *
   * @returns The 64 bytes of an Ed25519 signature (RFC 8032). It is verified before it is used. What takes longer than
   * ten seconds counts as a failure; the caller then gets 503.
   */
  sign: (keyId: string, bytes: Uint8Array) => Promise<Uint8Array>;
}
