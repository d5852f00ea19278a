import { readSummaries } from './holdings';
import type { DataValue, Grant, Service } from './service';
import type { Session } from './session';
import type { Words } from './words';

/**
 * Finds values that are shared already: those with the same content as data under a grant. A value that has changed
 * since is not among them.
 *
 * @returns The last day of access to each value, by its id.
 *
 * @throws ServiceProblem
 */
export async function findShared(
  service: Service,
  session: Session,
  grants: readonly Grant[],
  values: readonly DataValue[],
  words: Words,
): Promise<Map<string, Date>> {
  const ends = new Map(grants.flatMap(({ expiresAt, resources }): [string, string][] =>
    expiresAt === null ? [] : resources.map(({ uri }): [string, string] => [ uri, expiresAt ])));
  const summaries = await readSummaries(service, session, [ ...ends.keys() ]);
  const endsBySaying = new Map([ ...summaries ].map(([ uri, summary ]): [string, string] =>
    // Summaries are of these URIs alone.
    [ JSON.stringify(summary), ends.get(uri)! ]));
  return new Map(values.flatMap(({ id, summary }): [string, Date][] => {
    const end = endsBySaying.get(JSON.stringify(summary));
    return end === undefined ? [] : [[ id, words.lastDay(end) ]];
  }));
}
