/** A data user or contract that the operator has suspended. */
export interface Suspension {
  /** WebID of the data user, or id of the contract: the two cannot coincide. */
  name: string;
  suspendedAt: Date;
}

/** Suspensions. During one, grants to that data user or under that contract have no effect. */
export interface SuspensionStore {
  /** Finds a suspension with one of these names. */
  find: (names: string[]) => Promise<Suspension | undefined>;
  list: () => Promise<Suspension[]>;
  /** Suspends; returns false when already suspended. */
  suspend: (name: string, at: Date) => Promise<boolean>;
  /** Ends a suspension; returns false when there is none. */
  resume: (name: string) => Promise<boolean>;
}
