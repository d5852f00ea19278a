const key = 'choice';

/** Ids of the values chosen under a contract. */
export interface Choice {
  ids: string[];
  /** True when a chosen value has changed or disappeared since: it is not among the ids. */
  hasChanged?: boolean;
}

/** Stores the ids of the values chosen under a contract, never the values, and only in this tab. */
export const choice = {
  read(contractId: string): Choice {
    try {
      const kept = JSON.parse(sessionStorage.getItem(key) ?? '{}') as Partial<Choice> & { contractId?: string };
      return kept.contractId === contractId ? { ids: [], ...kept } : { ids: []};
    } catch {
      return { ids: []};
    }
  },
  keep(contractId: string, kept: Choice): void {
    sessionStorage.setItem(key, JSON.stringify({ contractId, ...kept }));
  },
  forget(): void {
    sessionStorage.removeItem(key);
  },
};
