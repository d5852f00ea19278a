import type { Activity } from './service';

/** Readings of one resource by one party within an hour. */
export type Read = Pick<Activity, 'at' | 'count' | 'lastAt'>;

/** How often something was read, and when last. */
export interface ReadCount {
  n: number;
  /** ISO 8601 moment; absent when it was not read. */
  last?: string;
}

/**
 * The readings under a grant, newest first.
 *
 * @param activities - What happened, newest first.
 * @param grant - URI of the grant.
 */
export function readsUnder(activities: readonly Activity[], grant: string): Read[] {
  return activities.filter((each): boolean => each.type === 'resource.read' && each.grant === grant);
}

/** Adds readings up. */
export function countReads(reads: readonly Read[]): ReadCount {
  return { n: reads.reduce((sum, { count }): number => sum + count, 0), last: reads.at(0)?.lastAt };
}
