import type { Activity } from './service';

/** Who put something in the vault: a WebID, names of it by language, and when, ISO 8601. */
export type Origin = Pick<Activity, 'at' | 'byNames'> & { by: string };

/**
 * Who put things in the vault, by URI, as far as it was another than the citizen. The last one counts.
 *
 * @param activities - What happened, newest first.
 * @param webId - Of the citizen.
 */
export function originsOf(activities: readonly Activity[], webId: string): Map<string, Origin> {
  const created = activities.filter(({ by, type }): boolean =>
    type === 'resource.created' && by !== null && by !== webId);
  return new Map([ ...created ].reverse().flatMap(({ at, by, byNames, resources }): [string, Origin][] =>
    resources.map(({ uri }): [string, Origin] => [ uri, { at, by: by!, byNames }])));
}
