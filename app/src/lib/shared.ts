import { readSummaries } from './holdings';
import type { DataValue, Grant, Service } from './service';
import type { Session } from './session';
import type { Words } from './words';

/**
 * Values that are shared already: those that say the same as what grants are on. A value that changed since then is not
 * among them.
 *
 * @returns By the id of a value, the last day of access to it.
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
