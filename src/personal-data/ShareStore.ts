import type { StatusEntry } from '../credentials/StatusListStore';
import type { ResourceUri } from '../pods/resourceUri';

/** Reasons why a credential is not valid. */
export type InvalidReason =
  /** Its expiry date has passed. */
  'expired' |
  /** A status list revokes it. */
  'revoked' |
  /** Its resource has other content. */
  'altered' |
  /** Its issuer is not, or no longer, trusted for this kind of data. */
  'issuer' |
  /** Its signature is wrong, or the key is no longer the issuer's. */
  'proof' |
  /** It is not a credential. */
  'shape' |
  /** Its source no longer confirms it: the record is gone, or has another version. */
  'withdrawn';

/**
 * A citizen's personal data in the pod, shared under a contract. There is one share per citizen, contract and record.
 */
export interface Share {
  /** Random UUID: the resource id of `/v1/pods/{podId}/resources/{resourceId}`. */
  id: string;
  citizenId: string;
  contractId: string;
  dataType: string;
  recordId: string;
  /** The shared version of the record. */
  version: string;
  resource: ResourceUri;
  contentType: string;
  /** Size of the stored resource in bytes. */
  size: number;
  /** SHA-256, hex, of the stored bytes. */
  digest: string;
  /** Status list entry of the credential, when this server issued it. */
  status?: StatusEntry;
  /** Id of the access grant last issued for it. */
  grantId: string;
  createdAt: Date;
  modifiedAt: Date;
  /** Time at which the resource was first seen missing from the pod. */
  absentAt?: Date;
  /** Expiry date in the credential. */
  expiresAt?: Date;
  /** Time since which the credential is not valid. Permanent, until the value is shared again. */
  invalidAt?: Date;
  /** Absent while the credential is valid, and on rows that predate the recording of reasons. */
  invalidReason?: InvalidReason;
  /** Time at which its origin last confirmed it: at a check, or when it was shared. */
  checkedAt?: Date;
  /**
   * Time of the next check at its origin; 0 when the operator asks for one. Absent once the share is gone or invalid.
   */
  checkAt?: Date;
}

/** Result of checking a share. */
export interface CheckedShare extends Pick<Share, 'checkAt' | 'digest' | 'id'> {
  /** Time of the confirmation; when absent, the recorded time stays. */
  checkedAt?: Date;
}

/** Fields that identify a share together. */
export type ShareKey = Pick<Share, 'citizenId' | 'contractId' | 'dataType' | 'recordId'>;

/** A share in progress, with enough to finish or undo it after a crash. Holds no personal data. */
export interface ShareIntent {
  id: string;
  citizenId: string;
  resource: ResourceUri;
  /** SHA-256, hex, of the bytes to be written. */
  digest: string;
  /** True when the resource existed before, so that undoing must not remove it. */
  existed: boolean;
  /** The rows to make visible, as JSON that the store does not interpret. */
  plan: string;
  createdAt: Date;
}

/** A page of shares, newest first. */
export interface SharePage {
  shares: Share[];
  next?: string;
}

/** Stores shares, and the intents of shares in progress. */
export interface ShareStore {
  /** Inserts a share or replaces the one with the same id. */
  save: (share: Share) => Promise<void>;
  find: (key: ShareKey) => Promise<Share | undefined>;
  findByResource: (resource: ResourceUri) => Promise<Share | undefined>;
  /** Returns the data types of those resources that are shared data, by resource. */
  findTypes: (resources: readonly string[]) => Promise<Map<string, string>>;
  /** Lists a page of a citizen's shares, newest first. */
  list: (citizenId: string, query: { dataType?: string; limit: number; cursor?: string }) => Promise<SharePage>;
  /**
   * Marks the resource as gone at a moment, unless it is already marked. `undefined` clears the mark.
   *
   * @returns True when the mark changed.
   */
  setAbsent: (resource: ResourceUri, at: Date | undefined) => Promise<boolean>;
  /**
   * Marks the credential as invalid, unless it is already marked.
   *
   * @param share - Resource, and digest of the credential that was checked: no other credential is marked.
   *
   * @returns True when this call marked it.
   */
  setInvalid: (share: Pick<Share, 'digest' | 'resource'>, at: Date, reason: InvalidReason) => Promise<boolean>;
  /** Lists the shares of a data type that are due for a check, earliest first. Reads no other rows. */
  listDue: (dataType: string, by: Date, limit: number) => Promise<Share[]>;
  /** Records checks in one transaction. Skips shares that were shared again meanwhile, or need no more checks. */
  setChecked: (checked: CheckedShare[]) => Promise<void>;
  /** Moves a share to the front of the checks, unless it is gone or invalid. */
  requestCheck: (resource: ResourceUri) => Promise<void>;
  /**
   * Marks all shares of a citizen as gone. Their rows stay, because copies of them may still exist.
   *
   * @returns The resources that were not marked yet, and the status list entries of all credentials that this server
   * issued.
   */
  setAllAbsent: (citizenId: string, at: Date) => Promise<{ resources: ResourceUri[]; statuses: StatusEntry[] }>;
  /** Forgets which records and credentials the shares of an erased citizen were: their sources know whose those are. */
  forgetRecords: (citizenId: string) => Promise<void>;

  /** Inserts all intents or none, in one statement. */
  insertIntents: (intents: readonly ShareIntent[]) => Promise<void>;
  deleteIntent: (id: string) => Promise<void>;
  /** Deletes an intent, if it still has this digest. Of several concurrent calls, only one returns `true`. */
  takeIntent: (id: string, digest: string) => Promise<boolean>;
  /** Lists all intents, oldest first. */
  listIntents: () => Promise<ShareIntent[]>;
  /** Lists the intents of one citizen, oldest first. */
  listIntentsOf: (citizenId: string) => Promise<ShareIntent[]>;
}
