/** Limits on the work for one list, over all of its records. */
export const listLimits = {
  /** Records of one data type; with more, none are shown. */
  recordsOfType: 200,
  records: 500,
  /** Total bytes of credentials in the response. */
  bytes: 8 * 1024 * 1024,
  /** Values in records that are not in the cache of readings. */
  values: 50_000,
  /** Time spent on reading records; waiting for sources does not count. */
  milliseconds: 5000,
} as const;

/** The remaining budget of one list. */
export class ListBudget {
  private records: number = listLimits.records;
  private bytes: number = listLimits.bytes;
  private values: number = listLimits.values;
  private milliseconds: number = listLimits.milliseconds;

  /** Deducts a record from the bytes that may be shown. Returns false when it does not fit. */
  public takeRecord(bytes: number): boolean {
    this.records -= 1;
    this.bytes -= bytes;
    return this.records >= 0 && this.bytes >= 0;
  }

  /** Deducts a record from the values that may be read. Returns false when it does not fit, or time is up. */
  public takeValues(values: number): boolean {
    this.values -= values;
    return this.values >= 0 && this.milliseconds > 0;
  }

  public spend(milliseconds: number): void {
    this.milliseconds -= milliseconds;
  }
}
