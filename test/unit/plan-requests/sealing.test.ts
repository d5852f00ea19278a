import { randomUUID } from 'node:crypto';
import { readdir, readFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { Polygons } from '../../../src/plan-requests/geometry/polygons';
import type { MapRequest, PlanRecords, UnaZone } from '../../../src/plan-requests/PlanStores';
import { openPlanRecords } from '../../../src/plan-requests/storage/openPlanRecords';
import { isPostgresUrl } from '../../../src/storage/database/engine';
import type { KeyKind } from '../../../src/storage/keys/FileKeyStore';
import type { OpenRecords } from '../../../src/storage/openRecords';
import { later, now, places } from '../storage/places';
import type { Place } from '../storage/places';

/** Everything that people write about themselves or others. */
const personal = [
  'Marie Peeters',
  'marie.peeters@builder.example',
  '+32 9 123 45 67',
  'Kerkstraat 12',
  'the garden of Jan Claes',
  'Peeters-2026-17',
  'jan.claes@pipes.example',
  '+32 2 765 43 21',
];
const polygons: Polygons = [[[[ 100_000, 190_000 ], [ 100_050, 190_000 ], [ 100_050, 190_050 ], [ 100_000, 190_000 ]]]];
const content: MapRequest['content'] = {
  reference: personal[5],
  description: personal[4],
  startDate: '2026-11-24',
  endDate: '2026-11-25',
  natureOfWorks: 'excavation',
  tags: [],
  orderVectorData: false,
  contact: { Name: personal[0], Email: personal[1], Phone: personal[2], Address: { street: personal[3] }},
};
const settings: UnaZone['settings'] = { contactEmail: personal[6], phone: personal[7], language: 'nl', mails: {}};

describe.each(places)('Plan requests on %s', (_engine, makePlace): void => {
  let place: Place;
  let serving: OpenRecords;
  let stores: PlanRecords;
  let time: Date;

  beforeEach(async(): Promise<void> => {
    time = now;
    place = await makePlace();
    serving = await place.open({ clock: (): Date => time });
    stores = openPlanRecords(serving.tables, randomUUID);
    await stores.transaction(async({ mapRequests, unas, unaZones }): Promise<void> => {
      await unas.save({ id: 'una', organisationId: 'operator', name: 'Pipes', isKlim: false });
      await unaZones.save({ id: 'zone', unaId: 'una', name: 'North', settings, registryState: 'NotAnnounced' });
      await mapRequests.save({
        id: 'request',
        organisationId: 'builder',
        receivedAt: now,
        packageBy: later(1),
        archivedAt: later(1000),
        content,
        zones: 1,
        plans: 0,
        srs: 'EPSG:31370',
        given: polygons,
        polygons,
      }, [{
        requestId: 'request',
        zoneId: 'zone',
        unaId: 'una',
        unaName: 'Pipes',
        organisationId: 'operator',
        receivedAt: now,
        archivedAt: later(1000),
        state: 'ToConfirm',
        confirmBy: later(1),
        answerBy: later(1),
      }], [ 'town' ]);
    });
  });

  afterEach(async(): Promise<void> => place.remove());

  /** Everything that a thief of the records has: the files of SQLite, or every row of every table. */
  async function stolen(): Promise<string> {
    if (!isPostgresUrl(place.records)) {
      const folder = dirname(place.records);
      const files = await readdir(folder);
      return (await Promise.all(files.map(async(name): Promise<string> => readFile(join(folder, name), 'latin1'))))
        .join('\n');
    }
    const tables = await place.sql('select table_name from information_schema.tables ' +
      'where table_schema = current_schema()');
    const rows = await Promise.all(tables.map(async(table): Promise<unknown> =>
      place.sql(`select * from "${String(table.table_name)}"`)));
    return JSON.stringify(rows);
  }

  async function shown(): Promise<string[]> {
    const text = await stolen();
    expect(text).toContain('NotAnnounced');
    return personal.filter((each): boolean => text.includes(each));
  }

  async function expectAllWell({ tables }: OpenRecords): Promise<void> {
    const { mapRequests, unaZones } = openPlanRecords(tables, randomUUID);
    const filter = { now, limit: 10, offset: 0 };
    const lists = await Promise.all([
      mapRequests.listFiled('builder', filter),
      mapRequests.listFiled('builder', { ...filter, reference: content.reference }),
      mapRequests.listReceived('operator', { ...filter, reference: content.reference }),
      mapRequests.listSeen('town', filter),
    ]);
    for (const list of lists) {
      expect(list.map((request): unknown => request.content)).toEqual([ content ]);
    }
    await expect(mapRequests.listFiled('builder', { ...filter, reference: 'another' })).resolves.toEqual([]);
    await expect(mapRequests.find('request')).resolves.toMatchObject({ content });
    await expect(unaZones.find('zone')).resolves.toMatchObject({ settings });
  }

  it('keep nobody to contact about a zone that was removed.', async(): Promise<void> => {
    await stores.transaction(async({ unaZones }): Promise<void> => unaZones.remove('zone', later(1)));
    await expect(stores.unaZones.findVersion('zone')).resolves
      .toMatchObject({ isRemoved: true, zone: { name: 'North', settings: { language: 'nl', mails: {}}}});
    const { zone } = (await stores.unaZones.findVersion('zone'))!;
    expect(Object.keys(zone.settings)).toEqual([ 'language', 'mails' ]);
  });

  it('reveal nobody to a person with the records but not the keys.', async(): Promise<void> => {
    await expectAllWell(serving);
    await expect(shown()).resolves.toEqual([]);
    await serving.close();
    await expect(shown()).resolves.toEqual([]);
  });

  it('are encrypted at the start if an earlier version wrote them in clear.', async(): Promise<void> => {
    await place.sql(`update plan_requests set reference = '${content.reference}', content = '${
      JSON.stringify(content)}'`);
    await place.sql(`update plan_request_zones set reference = '${content.reference}'`);
    await place.sql(`update plan_una_zones set settings = '${JSON.stringify(settings)}'`);
    await expect(shown()).resolves.toEqual(personal);
    const started = await place.open();
    await expectAllWell(started);
    await started.close();
    await serving.close();
    await expect(shown()).resolves.toEqual([]);
  });

  it.each<KeyKind>([ 'blind-index', 'encryption' ])('are re-encrypted with a new key %s.', async(kind):
  Promise<void> => {
    const operator = await place.open({ clock: (): Date => time });
    await operator.rotation.rotate(kind, undefined, 'ops');
    // Under the previous key.
    await expectAllWell(serving);
    await expect(operator.rewriting.rewrite()).resolves.toBeGreaterThan(0);
    await expect(operator.rewriting.rewrite()).resolves.toBe(0);
    await expectAllWell(serving);
    time = later(25 * 3600);
    await operator.rotation.retire(`${kind}.key`, 'ops');
    await serving.keys.refresh();
    await expectAllWell(serving);
    await expect(shown()).resolves.toEqual([]);
  });

  it('can be decrypted in their own row only.', async(): Promise<void> => {
    await place.sql(`update plan_requests set content = (select settings from plan_una_zones)`);
    await expect(stores.mapRequests.find('request')).rejects.toThrow('authenticate');
  });
});
