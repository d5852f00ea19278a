import { sql } from 'kysely';
import type { Polygons } from '../../../src/plan-requests/geometry/polygons';
import { Shape } from '../../../src/plan-requests/geometry/polygons';
import type { ZoneChanges } from '../../../src/plan-requests/PlanStores';
import { SqlZoneVersionStore } from '../../../src/plan-requests/storage/SqlZoneVersionStore';
import { ZoneIndex } from '../../../src/plan-requests/ZoneIndex';
import { openDatabase } from '../../../src/storage/database/engine';
import { ringOf } from '../../support/PlanWorld';
import { places } from '../storage/places';

const una = { id: 'una', organisationId: 'us', name: 'Water', isKlim: false };
const here: Polygons = [[ ringOf(104_000, 193_000, 10) ]];
const elsewhere: Polygons = [[ ringOf(204_000, 193_000, 10) ]];

describe('The index of zones', (): void => {
  it('follows changes of a zone that has very many geometries alike.', async(): Promise<void> => {
    // Millions of comparisons, and more than can be the arguments of a call.
    const many = Array.from<Polygons>({ length: 130_000 }).fill(here);
    const few = Array.from<Polygons>({ length: 30 }).fill(elsewhere);
    const states: ZoneChanges['unaZones'][0]['polygons'][] = [[ here ], few, many, [ elsewhere ], [], undefined ];
    let version = 0;
    const index = new ZoneIndex({
      current: async(): Promise<number> => version,
      lock: async(): Promise<void> => undefined,
      listAfter: async(): Promise<ZoneChanges> => {
        const polygons = states[version - 1];
        return { version, unas: [ una ], unaZones: [{ id: 'zone', unaId: una.id, polygons }], pdaZones: []};
      },
    });
    const found: boolean[][] = [];
    while (version < states.length) {
      version += 1;
      found.push([
        (await index.findUnas(new Shape(here))).size > 0,
        (await index.findUnas(new Shape(elsewhere))).size > 0,
      ]);
    }
    expect(found).toEqual([
      [ true, false ],
      [ false, true ],
      [ true, false ],
      [ false, true ],
      [ false, false ],
      [ false, false ],
    ]);
  });

  it.each(places)('reads such a zone at a cost in proportion to its geometries, on %s.', async(_engine, makePlace):
  Promise<void> => {
    const place = await makePlace();
    await place.open();
    const { db } = await openDatabase(place.records);
    const numbers = sql.raw('with recursive c (i) as (select 1 union all select i + 1 from c where i < 100000)');
    try {
      await sql`insert into plan_versions values (1, 1)`.execute(db);
      await db.insertInto('planUnas').values({ ...una, isKlim: 0, signingSubject: null, version: 1 }).execute();
      const zone = { id: 'zone', unaId: una.id, name: 'Zone', settings: '{}', registryState: 'NotAnnounced' };
      await db.insertInto('planUnaZones').values({ ...zone, removedAt: null, positions: 0, version: 1 }).execute();
      await sql`insert into plan_zone_geometries (id, zone_id, srs, given, polygons)
        ${numbers} select cast(i as text), 'zone', 'EPSG:31370', '', '[]' from c`.execute(db);
      const { unaZones: [{ polygons }] } = await new SqlZoneVersionStore(db).listAfter(0);
      expect(polygons).toHaveLength(100_000);
    } finally {
      await db.destroy();
      await place.remove();
    }
  });
});
