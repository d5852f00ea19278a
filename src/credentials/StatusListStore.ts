/** Kind of a status list: `RevocationList2020` for access grants, `BitstringStatusList` for personal data. */
export type StatusListKind = 'grants' | 'credentials';

/** An entry in a status list. */
export interface StatusEntry {
  listId: string;
  index: number;
}

/** Number of bits in each list: large enough that a bit does not identify its credential. */
export const statusListLength = 131_072;

/** Status lists and their bits. A list never belongs to one citizen. */
export interface StatusListStore {
  /** Allocates a random unused entry in a list of this kind; creates a new list when the newest is half full. */
  allocate: (kind: StatusListKind) => Promise<StatusEntry>;
  /** Sets the bit. Idempotent. */
  revoke: (entry: StatusEntry, at: Date) => Promise<void>;
  isRevoked: (entry: StatusEntry) => Promise<boolean>;
  /** Returns when the bit was set; `undefined` while it is not. */
  findRevokedAt: (entry: StatusEntry) => Promise<Date | undefined>;
  /**
   * Returns the indexes of set bits, and when the list last changed; `undefined` when there is no such list of this
   * kind.
   */
  read: (kind: StatusListKind, listId: string) => Promise<{ revoked: number[]; modified: Date } | undefined>;
}
