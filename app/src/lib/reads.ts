import type { Activity } from './service';

/** Reads of one resource by one party within an hour. */
export type Read = Pick<Activity, 'at' | 'count' | 'lastAt'>;

/** Number of reads, and the time of the last. */
export interface ReadCount {
  n: number;
  /** ISO 8601 moment; absent without reads. */
  last?: string;
}

/**
 * Lists the reads under a grant, newest first.
 *
 * @param activities - Activities, newest first.
 * @param grant - URI of the grant.
 */
export function readsUnder(activities: readonly Activity[], grant: string): Read[] {
  return activities.filter((each): boolean => each.type === 'resource.read' && each.grant === grant);
}

/** Adds up reads. */
export function countReads(reads: readonly Read[]): ReadCount {
  return { n: reads.reduce((sum, { count }): number => sum + count, 0), last: reads.at(0)?.lastAt };
}
