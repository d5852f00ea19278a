import type { ResourceUri } from '../pods/resourceUri';

/** Copies by data users of resources that grants give access to. */
export interface CopyMarks {
  /**
   * Has open copies judged again soon: something that their data users know nothing of may have made them due.
   *
   * @param what - Grants under which they were made, by id, or the resource that they are of.
   * @param at - Moment of it.
   */
  judgeAgain: (what: { grants: readonly string[] } | { resource: ResourceUri }, at: Date) => Promise<void>;
}
