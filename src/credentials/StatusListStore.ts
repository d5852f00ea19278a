/** Status lists are of one kind each: access grants have `RevocationList2020`, personal data `BitstringStatusList`. */
export type StatusListKind = 'grants' | 'credentials';

/** A place in a status list. */
export interface StatusEntry {
  listId: string;
  index: number;
}

/** Bits in every list: large enough that a bit tells nothing about whose it is. */
export const statusListLength = 131_072;

/** Status lists and their bits. Never one per citizen. */
export interface StatusListStore {
  /** A random place in a list of this kind that nobody else gets; makes a new list when the newest is half full. */
  allocate: (kind: StatusListKind) => Promise<StatusEntry>;
  /** Sets the bit. Again is fine. */
  revoke: (entry: StatusEntry, at: Date) => Promise<void>;
  isRevoked: (entry: StatusEntry) => Promise<boolean>;
  /** When the bit was set; `undefined` while it is not. */
  findRevokedAt: (entry: StatusEntry) => Promise<Date | undefined>;
  /** Indexes whose bit is set, and when the list last changed. `undefined`: no such list of this kind. */
  read: (kind: StatusListKind, listId: string) => Promise<{ revoked: number[]; modified: Date } | undefined>;
}
