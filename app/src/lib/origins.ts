/** The part of an activity that says who created something, and when (ISO 8601). */
export interface Making {
  type: string;
  at: string;
  /** WebID; null for the service itself. */
  by: string | null;
  byNames: { value: string; language: string | null }[];
  resources: { uri: string }[];
}

/** The origin of something in the vault: who put it there, and when. */
export type Origin = Pick<Making, 'at' | 'byNames'> & { by: string };

/**
 * Finds who put things into the vault, by URI, except the citizen. The latest origin counts.
 *
 * @param activities - Activities, newest first.
 * @param webId - WebID of the citizen.
 */
export function originsOf(activities: readonly Making[], webId: string): Map<string, Origin> {
  return new Map([ ...activities ].reverse().flatMap(({ at, by, byNames, resources, type }): [string, Origin][] =>
    type === 'resource.created' && by !== null && by !== webId ?
        resources.map(({ uri }): [string, Origin] => [ uri, { at, by, byNames }]) :
        []));
}
