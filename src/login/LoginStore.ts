import type { LoginChecks } from './RelyingParty';

/** A log-in that was sent to a provider. */
export interface OpenLogin extends LoginChecks {
  kind: 'open';
  provider: string;
  /** Digest of the secret that the browser has as a cookie. */
  browser: string;
  /** Log-in to an app that goes on afterwards. */
  interaction?: string;
}

/** A newcomer named by a provider, who is asked whether they want a WebID and pod. */
export interface Newcomer {
  kind: 'newcomer';
  provider: string;
  browser: string;
  interaction?: string;
  /** In its normal form: what is kept is stored as JSON. */
  nationalNumber: string;
  acr?: string;
  authenticatedAt?: number;
}

/** Where the citizen of a browser logged in, kept under the digest of its secret. */
export interface LoggedInThere {
  kind: 'there';
  provider: string;
}

/** All that is kept of log-ins. */
export type KeptLogin = LoggedInThere | Newcomer | OpenLogin;

/** Log-ins in progress, for all nodes. A copy of the storage does not reveal their content. */
export interface LoginStore {
  /** Keeps it until it is too old. */
  put: (id: string, login: KeptLogin, ageMs: number) => Promise<void>;
  find: (id: string) => Promise<KeptLogin | undefined>;
  /** Removes it; of several calls at once, one gets true. */
  remove: (id: string) => Promise<boolean>;
}
