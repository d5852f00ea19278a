import { randomUUID } from 'node:crypto';
import type { MapRequestFilter, MapRequestStore, SeenMapRequestFilter } from '../../../src/plan-requests/PlanStores';
import { SqlMapRequestStore } from '../../../src/plan-requests/storage/SqlMapRequestStore';
import { openDatabase } from '../../../src/storage/database/engine';
import type { OpenDatabase } from '../../../src/storage/database/engine';
import type { Vault } from '../../../src/storage/keys/Vault';
import { now, places } from '../storage/places';
import type { Place } from '../storage/places';

const count = 5000;
/** The oldest are the few that filters find. */
const few = 10;
const page = { offset: 0, limit: 50, now };

/** A list of the store, its index, and its length. */
type List = [
  what: string,
  list: (store: MapRequestStore) => Promise<unknown[]>,
  index: string,
  found: number,
];

function filed(filter: Partial<MapRequestFilter> = {}): List[1] {
  return async(store): Promise<unknown[]> => store.listFiled('org', { ...page, ...filter });
}

function received(filter: Partial<MapRequestFilter> = {}): List[1] {
  return async(store): Promise<unknown[]> => store.listReceived('org', { ...page, ...filter });
}

function seen(filter: Partial<SeenMapRequestFilter> = {}): List[1] {
  return async(store): Promise<unknown[]> => store.listSeen('org', { ...page, ...filter });
}

const lists: List[] = [
  [ 'filed', filed(), 'plan_requests_by_organisation', 50 ],
  [ 'filed and open', filed({ closed: false }), 'plan_requests_open', few ],
  [ 'filed and closed', filed({ closed: true }), 'plan_requests_closed', 50 ],
  [ 'filed with a rare reference', filed({ reference: 'rare' }), 'plan_requests_by_reference', few ],
  [ 'filed with a usual reference', filed({ reference: 'usual' }), 'plan_requests_by_reference', 50 ],
  [
    'filed with a usual reference and open',
    filed({ reference: 'usual', closed: false }),
    'plan_requests_open_by_reference',
    0,
  ],
  [ 'received', received(), 'plan_request_zones_by_organisation', 50 ],
  [ 'received and open', received({ closed: false }), 'plan_request_zones_open', few ],
  [ 'received and closed', received({ closed: true }), 'plan_request_zones_closed', 50 ],
  [ 'received in a state', received({ state: 'ToConfirm' }), 'plan_request_zones_by_state', few ],
  [ 'received in a small zone', received({ zoneId: 'small' }), 'plan_request_zones_by_zone', few ],
  [ 'received in a large zone', received({ zoneId: 'large' }), 'plan_request_zones_by_zone', 50 ],
  [ 'received there and open', received({ zoneId: 'large', closed: false }), 'plan_request_zones_of_open', 0 ],
  [ 'received there and closed', received({ zoneId: 'small', closed: true }), 'plan_request_zones_of_closed', 0 ],
  [ 'received there in a state', received({ zoneId: 'large', state: 'ToConfirm' }), 'plan_request_zones_of_state', 0 ],
  [ 'received with a rare reference', received({ reference: 'rare' }), 'plan_request_zones_by_reference', few ],
  [ 'received with a usual reference', received({ reference: 'usual' }), 'plan_request_zones_by_reference', 50 ],
  [
    'received with a usual reference and open',
    received({ reference: 'usual', closed: false }),
    'plan_request_zones_open_by_reference',
    0,
  ],
  [ 'seen', seen(), 'plan_request_pdas_by_organisation', 50 ],
  [ 'seen, sent to nobody', seen({ status: 'NoUnaInvolved' }), 'plan_request_pdas_by_progress', 0 ],
  [ 'seen and waiting', seen({ status: 'Waiting' }), 'plan_request_pdas_by_term', 0 ],
  [ 'seen and late', seen({ status: 'TermElapsed' }), 'plan_request_pdas_by_progress', few ],
  [ 'seen and answered in part', seen({ status: 'IncompleteAnswerAvailable' }), 'plan_request_pdas_by_term', 0 ],
  [ 'seen and late in part', seen({ status: 'IncompletePackageAvailable' }), 'plan_request_pdas_by_progress', 0 ],
  [ 'seen and answered', seen({ status: 'PlansAvailable' }), 'plan_request_pdas_by_progress', 50 ],
  [ 'seen, nobody is involved', seen({ status: 'NoNetworksInZone' }), 'plan_request_pdas_by_progress', 0 ],
];

describe.each(places)('Lists of many plan requests, on %s,', (engine, makePlace): void => {
  let place: Place;
  let database: OpenDatabase;
  /** The statements of the store, with their values. */
  const statements: string[] = [];
  let store: SqlMapRequestStore;

  beforeAll(async(): Promise<void> => {
    place = await makePlace();
    await fill(place);
    database = await openDatabase(place.records);
    const { db } = database;
    const compiler = db.getExecutor();
    const vault = {
      blindIndexes: (_kind: string, reference: string): string[] => [ reference ],
      findsNewKeys: async(): Promise<boolean> => false,
    };
    store = new SqlMapRequestStore(db.withPlugin({
      transformQuery({ node, queryId }): typeof node {
        const { parameters, sql } = compiler.compileQuery(node, queryId);
        const values = parameters.map((value): string => typeof value === 'string' ? `'${value}'` : String(value));
        statements.push(sql.replaceAll(/\?|\$\d+/gu, (): string => values.shift()!));
        return node;
      },
      transformResult: async({ result }): Promise<typeof result> => result,
    }), vault as unknown as Vault);
  });

  afterAll(async(): Promise<void> => {
    await database.db.destroy();
    await place.remove();
  });

  /** Checks that a statement reads an index, and counts the rows that it read, if the engine reports them. */
  async function explain(statement: string, index: string): Promise<{ isRead: boolean; looked: number }> {
    if (engine === 'SQLite') {
      const plan = JSON.stringify(await place.sql(`explain query plan ${statement}`));
      // Only few rows are sorted: see the store.
      const isSorted = index === 'plan_request_pdas_by_term';
      const isRead = plan.includes(`INDEX ${index} (`) && plan.includes('TEMP B-TREE') === isSorted;
      return { isRead, looked: 0 };
    }
    // By its statistics, PostgreSQL may choose another index that is as good.
    const plan = JSON.stringify(await place.sql(`explain (analyze, format json) ${statement}`));
    const rows = [ ...plan.matchAll(/"(?:Actual Rows|Rows Removed by \w+)":\s*(?<rows>[\d.]+)/gu) ];
    return { isRead: true, looked: Math.max(...rows.map(({ groups }): number => Number(groups!.rows))) };
  }

  it.each(lists)('find those %s in an index.', async(...[ , list, index, found ]): Promise<void> => {
    statements.length = 0;
    await expect(list(store)).resolves.toHaveLength(found);
    const [ statement ] = statements;
    const { isRead, looked } = await explain(statement, index);
    expect(isRead).toBe(true);
    expect(looked).toBeLessThan(200);
  });
});

/** Requests of one organisation, one a second: the oldest are open and in a small zone, all others were answered. */
async function fill(place: Place): Promise<void> {
  const at = now.getTime();
  const rows = `(with recursive n (i) as (select 0 union all select i + 1 from n where i < ${count - 1})
    select 'r' || i as id, ${at} - i * 1000 as received_at, ${at} - i * 1000 + 600 * 1000 as package_by,
      ${at} + 1000 * 1000 as archived_at, i >= ${count - few} as is_old from n) as one`;
  const id = randomUUID();
  for (const statement of [
    `insert into plan_unas (id, organisation_id, name, is_klim, version) values ('${id}', 'org', 'Una', 0, 1)`,
    `insert into plan_una_zones (id, una_id, name, settings, registry_state, version)
      values ('small', '${id}', 'Zone', '{}', 'NotAnnounced', 1), ('large', '${id}', 'Zone', '{}', 'NotAnnounced', 1)`,
    `insert into plan_requests (id, organisation_id, reference, received_at, package_by, archived_at, closed_at,
      content, srs, given, polygons, zones, plans)
      select id, 'org', case when is_old then 'rare' else 'usual' end, received_at, package_by, archived_at,
        case when is_old then null else received_at end, '{}', 'EPSG:31370', '[]', '[]', 1,
        case when is_old then 0 else 1 end from ${rows}`,
    `insert into plan_request_zones (request_id, zone_id, una_id, una_name, organisation_id, received_at, archived_at,
      state, confirm_by, answer_by, closed_at, reference)
      select id, case when is_old then 'small' else 'large' end, '${id}', 'Una', 'org', received_at, archived_at,
        case when is_old then 'ToConfirm' else 'Responded' end, 1, 1, case when is_old then null else received_at end,
        case when is_old then 'rare' else 'usual' end from ${rows}`,
    `insert into plan_request_pdas (request_id, organisation_id, received_at, archived_at, package_by, progress)
      select id, 'org', received_at, archived_at, package_by, case when is_old then 'none' else 'plans' end
      from ${rows}`,
    'analyze',
  ]) {
    await place.sql(statement);
  }
}
