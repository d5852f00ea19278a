const key = 'choice';

/**
 * Stores the ids of what is chosen at a question, never the values, and only in this tab: they outlast a reload and the
 * end of a log-in. A question is named by the id of its contract, or by the URI of an access request.
 */
export const choice = {
  read(question: string): string[] {
    try {
      const kept = JSON.parse(sessionStorage.getItem(key) ?? '{}') as { question?: string; ids?: string[] };
      return kept.question === question ? kept.ids ?? [] : [];
    } catch {
      return [];
    }
  },
  keep(question: string, ids: readonly string[]): void {
    sessionStorage.setItem(key, JSON.stringify({ question, ids }));
  },
  forget(): void {
    sessionStorage.removeItem(key);
  },
};
