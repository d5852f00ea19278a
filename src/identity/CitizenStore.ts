import type { WebId } from '../platform/webId';
import type { NationalNumber } from './NationalNumber';

/** State of a citizen's identity. */
export type CitizenState = 'CREATING' | 'ACTIVE' | 'DELETING';

/**
 * The citizen's own property that was linked: a WebID, or a WebID and the pod for their data. The rest was made here.
 */
export type Brought = 'WEBID' | 'POD';

/** A recorded citizen: a person whose WebID and pod this service made or linked. */
export interface Citizen {
  /** Random UUID; also the name of a pod made here. */
  id: string;
  webId: WebId;
  /** URL of the pod, with a trailing slash. */
  podUrl: string;
  /** Absent when WebID and pod were made here. */
  brought?: Brought;
  state: CitizenState;
  /** Id of the CSS account, once it exists. */
  accountId?: string;
  createdAt: Date;
}

/** Facts about a new citizen. The number itself is stored only as blind index and ciphertext. */
export interface NewCitizen {
  id: string;
  webId: WebId;
  podUrl: string;
  brought?: Brought;
  nationalNumber: NationalNumber;
  createdAt: Date;
}

/**
 * Citizens by national number, WebID and pod.
 *
 * At rest, national numbers are an HMAC-SHA-256 blind index and
 * AES-256-GCM ciphertext bound to the row.
 */
export interface CitizenStore {
  /**
   * Records a citizen in state CREATING, or returns the citizen already recorded for that number.
   *
   * @throws IdentityMismatch, IdentityAmbiguous when the WebID or pod belongs to a citizen with another number.
   */
  insertOrGet: (citizen: NewCitizen) => Promise<{ citizen: Citizen; inserted: boolean }>;
  findByNationalNumber: (nationalNumber: NationalNumber) => Promise<Citizen | undefined>;
  findByWebId: (webId: WebId) => Promise<Citizen | undefined>;
  findByPodUrl: (podUrl: string) => Promise<Citizen | undefined>;
  findById: (id: string) => Promise<Citizen | undefined>;
  /** Returns true when the citizen is ACTIVE. In a transaction, delays erasure until the transaction ends. */
  lockIfActive: (id: string) => Promise<boolean>;
  /** As `lockIfActive`, and also delays every other change of the citizen. */
  lockForChange: (id: string) => Promise<boolean>;
  /** Returns the citizen's national number, which is needed only to query sources. */
  getNationalNumber: (id: string) => Promise<NationalNumber>;
  /** Lists all citizens in a state, to finish at start what a crash interrupted. */
  listByState: (state: CitizenState) => Promise<Citizen[]>;
  /** Lists citizens in order of id, after the given id, optionally only those in one state. */
  listPage: (after: string, limit: number, state?: CitizenState) => Promise<Citizen[]>;
  /** Replaces the number, which no other citizen may have: index and ciphertext change in one statement. */
  setNationalNumber: (id: string, nationalNumber: NationalNumber) => Promise<void>;
  /**
   * Records the account of a citizen in state CREATING.
   *
   * @param id - Id of the citizen.
   * @param known - Account recorded before.
   * @param accountId - Account that replaces it.
   *
   * @returns False when another process has recorded another account, or the citizen is no longer CREATING.
   */
  setAccount: (id: string, known: string | undefined, accountId: string) => Promise<boolean>;
  /** Changes a citizen with this account from CREATING to ACTIVE; returns false when there is none. */
  activate: (id: string, accountId: string | undefined) => Promise<boolean>;
  /** Returns false when the citizen is already in that state, or does not exist. */
  setState: (id: string, state: CitizenState) => Promise<boolean>;
  /** Marks a citizen for erasure by a serving process; a repeated call lets it be tried at once. */
  requestErasure: (id: string, at: Date) => Promise<void>;
  /** Claims a marked citizen that no process has claimed, or none since the given time. */
  claimErasure: (now: Date, unlessSince: Date) => Promise<Citizen | undefined>;
  /** Erases a citizen's row, with index and ciphertext, and leaves a tombstone for the path of a pod made here. */
  erase: (id: string, at: Date) => Promise<void>;
  /** Returns the state of the citizen with a WebID made here; `ERASED` when only a tombstone of the pod is left. */
  standingOf: (webId: WebId, podUrl: string) => Promise<CitizenState | 'ERASED' | undefined>;
  /** Checks whether the citizen with a pod made here is erased or being erased: the pod must not be read or written. */
  isClosed: (podUrl: string) => Promise<boolean>;
  /** Lists pod URLs of erased citizens, in order, after the given URL. */
  listErased: (after: string, limit: number) => Promise<string[]>;
  /** Checks whether a pod URL belonged to an erased citizen. Such a name is never used again. */
  isTombstone: (podUrl: string) => Promise<boolean>;
}
