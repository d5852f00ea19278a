const key = 'choice';

/** Stores the ids of the values chosen under a contract, never the values, and only in this tab. */
export const choice = {
  read(contractId: string): string[] {
    try {
      const kept = JSON.parse(sessionStorage.getItem(key) ?? '{}') as { contractId?: string; ids?: string[] };
      return kept.contractId === contractId ? kept.ids ?? [] : [];
    } catch {
      return [];
    }
  },
  keep(contractId: string, ids: readonly string[]): void {
    sessionStorage.setItem(key, JSON.stringify({ contractId, ids }));
  },
  forget(): void {
    sessionStorage.removeItem(key);
  },
};
