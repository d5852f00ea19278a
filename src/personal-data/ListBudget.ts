/** Limits on what is looked into for one list, over all of its records. */
export const listLimits = {
  /** Of one data type; more are not shown at all. */
  recordsOfType: 200,
  records: 500,
  /** Bytes of credentials, as in the response. */
  bytes: 8 * 1024 * 1024,
  /** Values in records that were not read before. */
  values: 50_000,
  /** Time spent on reading records, not on waiting for sources. */
  milliseconds: 5000,
} as const;

/** Remainder of the limits of one list. */
export class ListBudget {
  private records: number = listLimits.records;
  private bytes: number = listLimits.bytes;
  private values: number = listLimits.values;
  private milliseconds: number = listLimits.milliseconds;

  /** Takes a record out of what may be shown. */
  public takeRecord(bytes: number): boolean {
    this.records -= 1;
    this.bytes -= bytes;
    return this.records >= 0 && this.bytes >= 0;
  }

  /** Takes a record out of what may be read. */
  public takeValues(values: number): boolean {
    this.values -= values;
    return this.values >= 0 && this.milliseconds > 0;
  }

  public spend(milliseconds: number): void {
    this.milliseconds -= milliseconds;
  }
}
