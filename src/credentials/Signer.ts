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
 * passes one to the `DataSharingRecords`; without it, signing keys are files in the folder of `--keys`. Secrets are
 * always files.
 */
export interface Signer {
  /**
   * Lists the public keys. Called at start and every ten seconds.
   *
   * @returns At least one key for each purpose: the first signs, all verify. List a new key in a later place first, and
   * move it to the front two minutes later, when nobody has an older copy of the key document any more. Keep a key
   * listed for as long as anything that it signed must stay valid.
   */
  listKeys: () => Promise<SignerKey[]>;
  /**
   * Signs bytes.
   *
   * @param keyId - Id of one of the keys.
   * @param bytes - Bytes to sign, at most a few kilobytes. They are not a hash.
   *
   * @returns The 64 bytes of an Ed25519 signature (RFC 8032), which is verified before use. A call that takes longer
   * than ten seconds fails, and the caller gets 503.
   */
  sign: (keyId: string, bytes: Uint8Array) => Promise<Uint8Array>;
}
