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
}
