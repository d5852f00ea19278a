import type { Described, Resource, Service, Summary, Vault } from './service';
import { ServiceProblem } from './service';
import type { Session } from './session';

/** Shared data in a vault. */
export interface Holding {
  resource: Resource;
  /** Absent when the data does not match its data type. */
  summary?: Summary;
}

/** Shared data of one data type. */
export interface Kind {
  /** IRI of the data type. */
  type: string;
  described: Described;
  holdings: Holding[];
}

/** Number of concurrent requests for summaries. */
const atOnce = 6;

/**
 * Reads the shared data of a vault by data type, as summaries.
 *
 * @throws ServiceProblem
 */
export async function readHoldings(service: Service, session: Session, vault: Vault): Promise<Kind[]> {
  const resources = (await service.listResources(session, vault)).filter(({ type }): boolean => type !== null);
  const holdings: Holding[] = [];
  for (let start = 0; start < resources.length; start += atOnce) {
    holdings.push(...await Promise.all(resources.slice(start, start + atOnce).map(
      async(resource): Promise<Holding> =>
        ({ resource, summary: await findSummary(service, session, vault, resource) }),
    )));
  }
  const types = [ ...new Set(resources.flatMap(({ type }): string[] => type === null ? [] : [ type ])) ];
  return Promise.all(types.map(async(type): Promise<Kind> => ({
    type,
    described: await service.describe(type),
    holdings: holdings.filter(({ resource }): boolean => resource.type === type),
  })));
}

/** Finds the summary of shared data; `undefined` when the data is unreadable, or gone meanwhile. */
export async function findSummary(
  service: Service,
  session: Session,
  vault: Vault,
  { id }: Resource,
): Promise<Summary | undefined> {
  return service.summarise(session, vault, id).catch((error: unknown): undefined => {
    if (!(error instanceof ServiceProblem) || error.status !== 404) {
      throw error;
    }
  });
}

/**
 * Reads summaries of shared data, by URI. Leaves out data that is unreadable, or no longer in the vault.
 *
 * @throws ServiceProblem
 */
export async function readSummaries(
  service: Service,
  session: Session,
  uris: readonly string[],
): Promise<Map<string, Summary>> {
  const vault = await service.findVault(session);
  if (!vault) {
    return new Map();
  }
  const resources = await service.listResources(session, vault);
  const found = resources.filter(({ type, uri }): boolean => type !== null && uris.includes(uri));
  const summaries = await Promise.all(found.map(async(resource): Promise<[string, Summary] | undefined> => {
    const summary = await findSummary(service, session, vault, resource);
    return summary && [ resource.uri, summary ];
  }));
  return new Map(summaries.filter((each): each is [string, Summary] => each !== undefined));
}
