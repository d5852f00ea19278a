import type { LoginChecks } from './RelyingParty';

/** A log-in in progress at a provider. */
export interface OpenLogin extends LoginChecks {
  kind: 'open';
  provider: string;
  /** Digest of the secret in the browser's cookie. */
  browser: string;
  /** The app's log-in request to continue afterwards. */
  interaction?: string;
}

/** A newcomer identified by a provider, who has not yet decided about a WebID and pod. */
export interface Newcomer {
  kind: 'newcomer';
  provider: string;
  browser: string;
  interaction?: string;
  /** National number in its normal form, as text because it is stored as JSON. */
  nationalNumber: string;
  name?: string;
  acr?: string;
  authenticatedAt?: number;
}

/** A citizen with the name that a provider stated. */
export interface NamedCitizen {
  webId: string;
  name: string;
}

/** The provider of a browser's last log-in, stored under the digest of the browser's secret. */
export interface LoggedInThere {
  kind: 'there';
  provider: string;
  /** The citizen, if the provider stated a name. */
  citizen?: NamedCitizen & { accountId: string };
}

/** Any stored state of a log-in. */
export type KeptLogin = LoggedInThere | Newcomer | OpenLogin;

/** Log-ins in progress, shared by all nodes. A copy of the storage does not reveal their content. */
export interface LoginStore {
  /** Stores a log-in for at most `ageMs`. */
  put: (id: string, login: KeptLogin, ageMs: number) => Promise<void>;
  find: (id: string) => Promise<KeptLogin | undefined>;
  /** Removes a log-in; of several concurrent calls, one returns true. */
  remove: (id: string) => Promise<boolean>;
}
