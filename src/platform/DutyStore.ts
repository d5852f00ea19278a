/** Duties that only one node has at a time. */
export interface DutyStore {
  /**
   * Takes a duty, or keeps it.
   *
   * @param name - Of the duty.
   * @param holder - The process that asks.
   * @param now - The moment.
   * @param until - When somebody else may take it unless it is taken again.
   *
   * @returns `false` while another process has it.
   */
  take: (name: string, holder: string, now: Date, until: Date) => Promise<boolean>;
}
