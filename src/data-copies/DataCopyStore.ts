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
  /** The data user's name for the place of the copy. */
  system?: string;
  /** When the copy was made, according to the data user. */
  storedAt: Date;
  reportedAt: Date;
  deletedAt?: Date;
  deletionReason?: string;
  /** Time from which its credential is not valid, recorded when the value was shared again. */
  invalidAt?: Date;
  /** Time from which its resource was missing, recorded when the resource was back. */
  absentAt?: Date;
}

/** An open copy due for a check. */
export interface CopyToCheck extends DataCopy {
  /** When the data user was notified that it is due. */
  dueAt?: Date;
}

/** Copies by key and party; open ones have no `deletedAt`. Only one is open per data user, resource and purpose. */
export interface DataCopyStore extends CopyMarks {
  /** Inserts a copy, or returns the open one with the same data user, resource and purpose. */
  insertOrGet: (copy: DataCopy) => Promise<{ copy: DataCopy; inserted: boolean }>;
  /** Lists the copies with this key, newest first; of every purpose when none is given. */
  listByKey: (dataUser: WebId, resource: ResourceUri, purpose?: string) => Promise<DataCopy[]>;
  /**
   * Replaces grant, `system`, `storedAt` and `reportedAt` of an open copy; another `storedAt` clears `invalidAt`
   * and `absentAt`.
   * Returns false when it is no longer open.
   */
  update: (copy: DataCopy) => Promise<boolean>;
  /** Returns true while any copy of a resource is open. */
  hasOpen: (resource: ResourceUri) => Promise<boolean>;
  /** Closes an open copy. Returns false when it is no longer open. */
  close: (id: string, at: Date, reason: string | undefined) => Promise<boolean>;
  /**
   * Lists the open copies due for a check by a moment, earliest first, and locks them until the end of the transaction.
   * Reads no other rows.
   */
  listToCheck: (by: Date, limit: number) => Promise<CopyToCheck[]>;
  /** Records when to check a copy next, and when its data user was notified that it is due. */
  setNextCheck: (id: string, next: { checkAt?: Date; dueAt?: Date }) => Promise<void>;
  /** A data user's copies, newest first. */
  listByDataUser: (dataUser: WebId, page: { limit: number; cursor?: string }) =>
  Promise<{ copies: DataCopy[]; next?: string }>;
  /** The copies of resources in a pod, newest first. */
  listByPod: (podUrl: string, page: { limit: number; cursor?: string }) =>
  Promise<{ copies: DataCopy[]; next?: string }>;
  /** Other data users' copies of resources in the pods of this owner, newest first. */
  listByOwner: (owner: WebId, page: { limit: number; cursor?: string }) =>
  Promise<{ copies: DataCopy[]; next?: string }>;
}
