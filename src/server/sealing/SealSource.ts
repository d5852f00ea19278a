/** Names and encrypts values: see {@link SealSource}. */
export interface Seals {
  /** Returns the name under which a value is stored: equal for equal keys. */
  nameOf: (area: string, key: string) => string;
  /** Encrypts a key and its value. */
  seal: (area: string, key: string, value: unknown) => string;
  /**
   * Decrypts a key and its value; throws when the text was sealed with another secret, for another name, or changed.
   */
  open: (area: string, name: string, sealed: string) => [key: string, value: unknown];
}

/** Purposes of the secrets of an identity provider: its tokens, ID tokens for clients that want RS256, its cookies. */
export type ProviderSecretName = 'cookies' | 'signing' | 'signing-rs256';

/** Purposes of all secrets of the server. */
export type SealedSecretName = ProviderSecretName | 'values';

/** Secrets of the server, separate from its data. */
export interface SecretSource {
  /** Returns the secrets of a name, the one in use first; when there are none, `first` makes one. */
  get: (name: ProviderSecretName, first: () => Promise<Buffer>) => Promise<Buffer[]>;
  /** Returns the seals of the server's own values. */
  valueSeals: () => Promise<Seals>;
  /** Loads secrets that another process has added; returns true if the secrets, or the one in use, changed. */
  refresh: () => Promise<boolean>;
  /** Returns true when neither a secret nor any value that it protects is stored in clear. */
  isSettled: (name: SealedSecretName) => Promise<boolean>;
  /** Records that nothing is stored in clear any more. */
  settle: (name: SealedSecretName) => Promise<void>;
}

/** Returns the secrets once they are available. */
export interface SealSource {
  secrets: () => Promise<SecretSource>;
}
