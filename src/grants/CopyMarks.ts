import type { ResourceUri } from '../pods/resourceUri';

/** Data users' copies of resources under grants. */
export interface CopyMarks {
  /**
   * Schedules open copies for an early check, because a change that their data users do not know of may have made them
   * due.
   *
   * @param what - Ids of the grants under which the copies were made, or the copied resource.
   * @param at - Time of the change.
   */
  checkSoon: (what: { grants: readonly string[] } | { resource: ResourceUri }, at: Date) => Promise<void>;

  /**
   * Records since when the credential of copies is not valid, because the share no longer shows it once it has another
   * credential. Copies with such a time, and those deleted before it, are left alone.
   *
   * @param resource - The copied resource.
   * @param at - Time from which the credential is not valid.
   * @param reportedBefore - Only copies reported before this time were made of that credential.
   */
  setInvalid: (resource: ResourceUri, at: Date, reportedBefore: Date) => Promise<void>;

  /**
   * Records since when the resource of copies was missing, because the share no longer shows it once the resource is
   * back. Copies with such a time, and those deleted before it, are left alone.
   *
   * @param resource - The copied resource.
   * @param at - Time from which the resource was missing.
   * @param which - Copies reported before a time, or only deleted ones.
   */
  setAbsent: (resource: ResourceUri, at: Date, which: { reportedBefore: Date } | 'deleted') => Promise<void>;
}
