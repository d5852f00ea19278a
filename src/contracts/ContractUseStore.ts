/** Remembers under which digest a contract was first used, so that an agreement cannot change under people's feet. */
export interface ContractUseStore {
  /** Records the first use of a contract, and answers the digest on record: another one if it was used before. */
  recordFirstUse: (contractId: string, digest: string, at: Date) => Promise<string>;
  /** Digest on record of one contract. */
  find: (contractId: string) => Promise<string | undefined>;
  /** Digest on record by contract id. */
  list: () => Promise<Map<string, string>>;
}
