/** Stores the digest of each contract at its first use, so that an agreement cannot change afterwards. */
export interface ContractUseStore {
  /**
   * Records the first use of a contract, and returns the recorded digest: a different one if an earlier text was used.
   */
  recordFirstUse: (contractId: string, digest: string, at: Date) => Promise<string>;
  /** Finds the recorded digest of a contract. */
  find: (contractId: string) => Promise<string | undefined>;
  /** Lists recorded digests by contract id. */
  list: () => Promise<Map<string, string>>;
}
