/** Names and encrypts values: see {@link SealSource}. */
export interface Seals {
  /** The name under which a value is stored: equal for equal keys. */
  nameOf: (area: string, key: string) => string;
  /** Seals a key and its value. */
  seal: (area: string, key: string, value: unknown) => string;
  /** Opens a key and its value; throws when it was sealed otherwise, for another name, or changed. */
  open: (area: string, name: string, sealed: string) => [key: string, value: unknown];
}

/** Purposes of the secrets of an identity provider: its tokens, and its cookies. */
export type ProviderSecretName = 'cookies' | 'signing';

/** Purposes of all secrets of the server. */
export type SealedSecretName = ProviderSecretName | 'values';

/** Secrets of the server, separate from its data. */
export interface SecretSource {
  /** The secrets of a name, the one in use first; when there are none, `first` makes one. */
  get: (name: ProviderSecretName, first: () => Promise<Buffer>) => Promise<Buffer[]>;
  /** Of the server's own values. */
  valueSeals: () => Promise<Seals>;
  /** Looks for secrets that another process has added; returns whether there are others than before, or in use. */
  refresh: () => Promise<boolean>;
  /** True when neither a secret nor anything that it protects is left in clear. */
  isSettled: (name: SealedSecretName) => Promise<boolean>;
  /** Notes that. */
  settle: (name: SealedSecretName) => Promise<void>;
}

/** Returns the secrets once they can be read. */
export interface SealSource {
  secrets: () => Promise<SecretSource>;
}
