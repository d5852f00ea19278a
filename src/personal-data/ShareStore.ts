import type { StatusEntry } from '../credentials/StatusListStore';
import type { ResourceUri } from '../pods/resourceUri';

/** Why a credential is not valid. */
export type InvalidReason =
  /** Its own date has passed. */
  'expired' |
  /** A status list says so. */
  'revoked' |
  /** Its resource has other content. */
  'altered' |
  /** Its issuer is not, or no longer, trusted for this kind of data. */
  'issuer' |
  /** Its signature does not hold, or the key is no longer the issuer's. */
  'proof' |
  /** It is no credential. */
  'shape' |
  /** Its source no longer confirms it: the record is gone, or there is another version. */
  'withdrawn';

/**
 * Personal data of a citizen in the pod, shared under a contract:
 * one per citizen, contract and record.
 */
export interface Share {
  /** Random UUID: the resource id of `/v1/pods/{podId}/resources/{resourceId}`. */
  id: string;
  citizenId: string;
  contractId: string;
  dataType: string;
  recordId: string;
  /** Version of the record at its source that was shared. */
  version: string;
  resource: ResourceUri;
  contentType: string;
  /** Bytes of the resource as it was stored. */
  size: number;
  /** SHA-256, hex, of the bytes that were stored. */
  digest: string;
  /** Status list entry of the credential, when it was issued here. */
  status?: StatusEntry;
  /** Id of the access grant that was issued with it last. */
  grantId: string;
  createdAt: Date;
  modifiedAt: Date;
  /** When it was seen that the resource is gone from the pod. */
  absentAt?: Date;
  /** When the credential says that it expires. */
  expiresAt?: Date;
  /** Since when the credential is not valid: for good, until it is shared again. */
  invalidAt?: Date;
  /** Absent while it is valid, and for what was found before reasons were recorded. */
  invalidReason?: InvalidReason;
  /** When its origin stood by it last: by a check, or when it was shared. */
  checkedAt?: Date;
  /** When it is to be checked at its origin; 0 when the operator asks for it. Absent once it is gone or invalid. */
  checkAt?: Date;
}

/** Result of checking a share. */
export interface CheckedShare extends Pick<Share, 'checkAt' | 'digest' | 'id'> {
  /** When its origin stood by it; as before when absent. */
  checkedAt?: Date;
}

/** The key that makes a share one of its kind. */
export type ShareKey = Pick<Share, 'citizenId' | 'contractId' | 'dataType' | 'recordId'>;

/** A share in progress: enough to finish or undo it after a crash. Holds no personal data. */
export interface ShareIntent {
  id: string;
  citizenId: string;
  resource: ResourceUri;
  /** SHA-256, hex, of the bytes about to be written. */
  digest: string;
  /** True when the resource existed before: then undoing must leave it. */
  existed: boolean;
  /** The rows to make visible, as JSON: opaque to the store. */
  plan: string;
  createdAt: Date;
}

/** Keyset page of shares: newest first. */
export interface SharePage {
  shares: Share[];
  next?: string;
}

/** Shares by citizen, resource and key, and the intents of shares in progress. */
export interface ShareStore {
  /** Inserts a share or replaces the one with the same id. */
  save: (share: Share) => Promise<void>;
  find: (key: ShareKey) => Promise<Share | undefined>;
  findByResource: (resource: ResourceUri) => Promise<Share | undefined>;
  /** The data types of those resources that are shared data, by resource. */
  findTypes: (resources: readonly string[]) => Promise<Map<string, string>>;
  /** A page of a citizen's shares, newest first. */
  list: (citizenId: string, query: { dataType?: string; limit: number; cursor?: string }) => Promise<SharePage>;
  /**
   * Marks the resource as gone at a moment, when it is not marked yet. `undefined` takes the mark away.
   *
   * @returns Whether anything changed.
   */
  setAbsent: (resource: ResourceUri, at: Date | undefined) => Promise<boolean>;
  /**
   * Marks the credential as invalid, when it is not marked yet.
   *
   * @param share - Resource, and digest of the credential that was judged: another one is not marked.
   *
   * @returns Whether this marked it.
   */
  setInvalid: (share: Pick<Share, 'digest' | 'resource'>, at: Date, reason: InvalidReason) => Promise<boolean>;
  /** Those of a data type that are to be checked by a moment, the first ones first. No other rows are read. */
  listDue: (dataType: string, by: Date, limit: number) => Promise<Share[]>;
  /** Records checks, in one transaction; not of what was shared again meanwhile, or is no longer to be checked. */
  setChecked: (checked: CheckedShare[]) => Promise<void>;
  /** Has a share checked before all others, unless it is gone or invalid. */
  askCheck: (resource: ResourceUri) => Promise<void>;
  /**
   * Marks all shares of a citizen as gone. Their rows stay, so that copies of them can be judged.
   *
   * @returns The resources that were not marked yet, and the status list entries of all credentials issued here.
   */
  setAllAbsent: (citizenId: string, at: Date) => Promise<{ resources: ResourceUri[]; statuses: StatusEntry[] }>;

  /** All or none of them, by one statement. */
  insertIntents: (intents: readonly ShareIntent[]) => Promise<void>;
  deleteIntent: (id: string) => Promise<void>;
  /** Takes an intent away, if it is there with this digest. Of several who do so at once, one is answered `true`. */
  takeIntent: (id: string, digest: string) => Promise<boolean>;
  /** Oldest first. */
  listIntents: () => Promise<ShareIntent[]>;
  /** Those of one citizen, oldest first. */
  listIntentsOf: (citizenId: string) => Promise<ShareIntent[]>;
}
