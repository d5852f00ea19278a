/** Duties that only one process has at a time. */
export interface DutyStore {
  /**
   * Takes a duty, or keeps it.
   *
   * @param name - Name of the duty.
   * @param holder - The requesting process.
   * @param now - Current time.
   * @param until - Time from which another process may take it, unless it is renewed.
   *
   * @returns `false` while another process has it.
   */
  take: (name: string, holder: string, now: Date, until: Date) => Promise<boolean>;
}
