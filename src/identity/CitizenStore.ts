import type { WebId } from '../platform/webId';
import type { NationalNumber } from './NationalNumber';

/** State of a citizen's identity. */
export type CitizenState = 'CREATING' | 'ACTIVE' | 'DELETING';

/** Property that a citizen brought: a WebID, or a WebID and the pod for their data. All else was made here. */
export type Brought = 'WEBID' | 'POD';

/** A citizen on record: somebody with a WebID and pod, made by this service or linked. */
export interface Citizen {
  /** Random UUID: the pod's name, when it was made here. */
  id: string;
  webId: WebId;
  /** URL of the pod, with a trailing slash. */
  podUrl: string;
  /** Absent when WebID and pod were made here. */
  brought?: Brought;
  state: CitizenState;
  /** Id of the CSS account, once there is one. */
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
   * Records a citizen in state CREATING, or answers the one already recorded for that number.
   *
   * @throws IdentityMismatch, IdentityAmbiguous when WebID or pod is that of a citizen with another number.
   */
  insertOrGet: (citizen: NewCitizen) => Promise<{ citizen: Citizen; inserted: boolean }>;
  findByNationalNumber: (nationalNumber: NationalNumber) => Promise<Citizen | undefined>;
  findByWebId: (webId: WebId) => Promise<Citizen | undefined>;
  findByPodUrl: (podUrl: string) => Promise<Citizen | undefined>;
  findById: (id: string) => Promise<Citizen | undefined>;
  /** True when the citizen is ACTIVE. In a transaction they stay so until its end: an erasure waits. */
  holdActive: (id: string) => Promise<boolean>;
  /** The citizen's national number: needed to ask sources, and for nothing else. */
  getNationalNumber: (id: string) => Promise<NationalNumber>;
  /** All citizens in a state, for finishing at start what a crash interrupted. */
  listByState: (state: CitizenState) => Promise<Citizen[]>;
  /** Citizens in the order of their ids, from the one after an id on; those in a state when one is given. */
  listPage: (after: string, limit: number, state?: CitizenState) => Promise<Citizen[]>;
  /** Replaces the number, which must be nobody else's: index and ciphertext in one statement. */
  setNationalNumber: (id: string, nationalNumber: NationalNumber) => Promise<void>;
  /**
   * Notes the account of a citizen who is being made.
   *
   * @param id - Of the citizen.
   * @param known - The account that was noted before.
   * @param accountId - The one that takes its place.
   *
   * @returns False when another process has noted another one, or the citizen is not being made any more.
   */
  setAccount: (id: string, known: string | undefined, accountId: string) => Promise<boolean>;
  /** Makes a citizen ACTIVE who is being made, in this account; returns false when there is no such citizen. */
  activate: (id: string, accountId: string | undefined) => Promise<boolean>;
  /** Returns false when the citizen is in that state already, or is gone. */
  setState: (id: string, state: CitizenState) => Promise<boolean>;
  /** Marks a citizen for erasure by a serving process; again lets it be tried at once. */
  requestErasure: (id: string, at: Date) => Promise<void>;
  /** A marked citizen whom no process claimed, or none since a moment: the caller has claimed them now. */
  claimErasure: (now: Date, unlessSince: Date) => Promise<Citizen | undefined>;
  /** Forgets a citizen: the row with index and ciphertext goes. The path of a pod made here gets a tombstone. */
  erase: (id: string, at: Date) => Promise<void>;
  /**
   * The state of the citizen with a WebID made here; `ERASED` when there is none, but the pod once belonged to one.
   */
  standingOf: (webId: WebId, podUrl: string) => Promise<CitizenState | 'ERASED' | undefined>;
  /**
   * Checks whether the citizen with a pod made here is being erased, or was: nothing is to be read or written there any
   * more.
   */
  isClosed: (podUrl: string) => Promise<boolean>;
  /** URLs of pods of citizens who were erased, in order, from the one after a URL on. */
  listErased: (after: string, limit: number) => Promise<string[]>;
  /** Checks whether a pod URL belonged to a citizen who was erased. Such a name never returns. */
  isTombstone: (podUrl: string) => Promise<boolean>;
}
