const key = 'choice';

/** Ids of the values that were chosen under a contract: never the values, and in this tab only. */
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
