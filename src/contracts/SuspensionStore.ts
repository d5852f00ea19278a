/** A data user or contract that the operator has suspended. */
export interface Suspension {
  /** WebID of the data user, or id of the contract: no text is both. */
  name: string;
  suspendedAt: Date;
}

/** Suspensions. During one, no grant to that data user or under that contract has any effect. */
export interface SuspensionStore {
  /** Finds a suspension among these. */
  find: (names: string[]) => Promise<Suspension | undefined>;
  list: () => Promise<Suspension[]>;
  /** Suspends; `false` when it was suspended already. */
  suspend: (name: string, at: Date) => Promise<boolean>;
  /** Ends a suspension; `false` when there was none. */
  resume: (name: string) => Promise<boolean>;
}
