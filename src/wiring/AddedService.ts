import type { CredentialIssuer } from '../credentials/CredentialIssuer';
import type { KeyStore } from '../credentials/KeyStore';
import type { HttpApi } from '../http/HttpApi';
import type { RateLimits } from '../limits/RateLimits';
import type { Clock, NewId } from '../platform/clock';
import type { GuardedFetch } from '../platform/guardedFetch';
import type { Logger } from '../platform/logger';
import type { Mistakes } from '../platform/Mistakes';
import type { RecordsTables } from '../storage/openRecords';
import type { TokenVerifier } from '../tokens/TokenVerifier';

/** The parts of the data-sharing service that added services also use. */
export interface SharedHouse {
  /** Base URL of this server: an origin with a trailing slash. */
  baseUrl: string;
  /** Value that `aud` of tokens must contain. */
  audience: string;
  /** Version in OpenAPI documents. */
  buildId: string;
  /** Root folder of the pods, when they are files: nothing else may be stored in it. */
  rootFilePath?: string;
  verifier: Pick<TokenVerifier, 'verify' | 'verifyAgain'>;
  /** Signs statements of services. */
  credentials: Pick<CredentialIssuer, 'sign'>;
  limits: RateLimits;
  tables: RecordsTables;
  keys: KeyStore;
  /** Fetches URLs from outside. */
  fetch: GuardedFetch;
  /** True in the one process of each node that does background work for all. */
  leads: boolean;
  logger: Logger;
  now: Clock;
  newId: NewId;
}

/** The running interface of an {@link AddedService}. */
export interface AddedApi {
  api: Pick<HttpApi, 'describe' | 'handle' | 'owns' | 'turnAway'>;
  /** Reads the operator's files again; with a mistake in them, nothing changes. */
  reload: () => Promise<void>;
  /** Ends background work, and resolves when none uses the records any more: they are closed afterwards. */
  stop: () => Promise<void>;
}

/**
 * A separate service in the same server. It shares only tokens, problems, records, audit record and limits with data
 * sharing. A configuration adds one to `services` of `Extensions`.
 */
export interface AddedService {
  /** Names at the root of the server that become its own: no new pod gets one, and an existing one stops the start. */
  readonly names: readonly string[];
  /**
   * Reads its settings and files without starting.
   *
   * @param mistakes - Are noted, naming the flag, or file and member.
   *
   * @returns Lines for the operator that sum up what there is.
   */
  check: (mistakes: Mistakes) => Promise<string[]>;
  /**
   * Starts it.
   *
   * @throws Error that has a line for each mistake in its settings and files.
   */
  open: (house: SharedHouse) => Promise<AddedApi>;
}
