import type { CopyMarks } from '../grants/CopyMarks';
import type { ResourceUri } from '../pods/resourceUri';
import type { WebId } from '../platform/webId';

/** A report that a data user stores a copy of a resource for a purpose. */
export interface DataCopy {
  id: string;
  dataUser: WebId;
  resource: ResourceUri;
  purpose: string;
  /** URI of the access grant under which it was read. */
  accessGrant: string;
  grantId: string;
  /** Name the data user gives to where the copy is. */
  system?: string;
  /** When the copy was made, as the data user says. */
  storedAt: Date;
  reportedAt: Date;
  deletedAt?: Date;
  deletionReason?: string;
}

/** An open copy that is to be judged. */
export interface JudgedCopy extends DataCopy {
  /** When its data user was told that it is due. */
  dueAt?: Date;
}

/** Copies by key and party; open ones have no `deletedAt`. One is open per data user, resource and purpose. */
export interface DataCopyStore extends CopyMarks {
  /** Inserts a copy, or answers the open one with the same data user, resource and purpose. */
  insertOrGet: (copy: DataCopy) => Promise<{ copy: DataCopy; inserted: boolean }>;
  /** The copies with this key, newest first; of every purpose when none is given. */
  listByKey: (dataUser: WebId, resource: ResourceUri, purpose?: string) => Promise<DataCopy[]>;
  /** Replaces grant, `system`, `storedAt` and `reportedAt` of an open copy. Returns false when it no longer is open. */
  update: (copy: DataCopy) => Promise<boolean>;
  /** Returns true while any copy of a resource is open. */
  hasOpen: (resource: ResourceUri) => Promise<boolean>;
  /** Closes a copy that is open. Returns false when it no longer is. */
  close: (id: string, at: Date, reason: string | undefined) => Promise<boolean>;
  /**
   * Lists open copies that are to be judged by a moment, the first ones first; within a transaction, which keeps them
   * for itself. No other rows are read.
   */
  listToJudge: (by: Date, limit: number) => Promise<JudgedCopy[]>;
  /** Records when a copy is to be judged next, and when its data user was told that it is due. */
  setJudged: (id: string, judged: { judgeAt?: Date; dueAt?: Date }) => Promise<void>;
  /** A data user's copies, newest first. */
  listByDataUser: (dataUser: WebId, page: { limit: number; cursor?: string }) =>
  Promise<{ copies: DataCopy[]; next?: string }>;
  /** The copies of resources in a pod, newest first. */
  listByPod: (podUrl: string, page: { limit: number; cursor?: string }) =>
  Promise<{ copies: DataCopy[]; next?: string }>;
  /** The copies of resources in the pods of this owner, newest first. */
  listByOwner: (owner: WebId, page: { limit: number; cursor?: string }) =>
  Promise<{ copies: DataCopy[]; next?: string }>;
}
