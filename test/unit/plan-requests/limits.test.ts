import { randomUUID } from 'node:crypto';
import { EventEmitter, once } from 'node:events';
import { readdir } from 'node:fs/promises';
import { Readable } from 'node:stream';
import { readZone } from '../../../src/plan-requests/geometry/readZone';
import type { Zone } from '../../../src/plan-requests/geometry/readZone';
import type { PlanLimits } from '../../../src/plan-requests/limits';
import type { Organisation } from '../../../src/plan-requests/Organisations';
import { PackageFiles } from '../../../src/plan-requests/packages/PackageFiles';
import { PackageValidator } from '../../../src/plan-requests/packages/PackageValidator';
import { Packages } from '../../../src/plan-requests/packages/Packages';
import { PdaZones } from '../../../src/plan-requests/PdaZones';
import type { JobKind, NetworkPackage, PlanRecords, UnaZone } from '../../../src/plan-requests/PlanStores';
import { Announcements } from '../../../src/plan-requests/registry/Announcements';
import { openPlanRecords } from '../../../src/plan-requests/storage/openPlanRecords';
import { Unas } from '../../../src/plan-requests/Unas';
import { UnaZones } from '../../../src/plan-requests/UnaZones';
import { ZoneIndex } from '../../../src/plan-requests/ZoneIndex';
import { openDatabase } from '../../../src/storage/database/engine';
import { up } from '../../../src/storage/migrations/2026-11-23-plan-limits';
import { square } from '../../support/PlanWorld';
import { removeFolder, temporaryFolder } from '../../support/world';
import { later, now, places } from '../storage/places';
import type { Place } from '../storage/places';

const context = { correlationId: 'one' };
const settings = { language: 'nl' as const, mails: {}};
/** Each square has 5 positions. */
const limits = { zones: 3, positions: 30, testBytes: 1000, tests: 4 };

function newOrganisation(): Organisation {
  return { id: randomUUID(), name: 'One', clients: [], roles: []};
}

describe.each(places)('Limits of an organisation with plan requests, on %s,', (_engine, makePlace): void => {
  let place: Place;
  let folder: string;
  let records: PlanRecords;
  /** Services of two nodes. */
  let nodes: { validator: PackageValidator; packages: Packages; pdaZones: PdaZones; unas: Unas; unaZones: UnaZones }[];
  let zone: Zone;
  let organisation: Organisation;
  let unaId: string;

  beforeAll(async(): Promise<void> => {
    place = await makePlace();
    folder = await temporaryFolder();
    zone = await readZone(square(104_000, 193_000, 100), {});
    records = openPlanRecords((await place.open()).tables, randomUUID);
    nodes = [ makeNode(records), makeNode(openPlanRecords((await place.open()).tables, randomUUID)) ];
  });

  beforeEach(async(): Promise<void> => {
    organisation = newOrganisation();
    unaId = await addUna();
  });

  afterAll(async(): Promise<void> => {
    await place.remove();
    await removeFolder(folder);
  });

  function makeNode(own: PlanRecords, bounds: PlanLimits = limits): typeof nodes[number] {
    const shared = { records: own, limits: bounds, now: (): Date => now, newId: randomUUID };
    const files = new PackageFiles(folder);
    const validating = { ...shared, files, notices: {} as never, model: {} as never, authorities: []};
    return {
      packages: new Packages({ ...shared, files }),
      validator: new PackageValidator(validating),
      pdaZones: new PdaZones({ ...shared, index: new ZoneIndex(own.zoneVersions) }),
      unas: new Unas(shared),
      unaZones: new UnaZones({ ...shared, announcements: new Announcements({ ...shared, logger: {} as never }) }),
    };
  }

  async function addUna(): Promise<string> {
    const id = randomUUID();
    await nodes[0].unas.put({ id, organisationId: organisation.id, name: 'Una', isKlim: false }, organisation, context);
    return id;
  }

  async function register(geometries: number, more: { id?: string; node?: number } = {}): Promise<UnaZone> {
    const { id, node = 0 } = more;
    const squares = Array.from({ length: geometries }, (): Zone => zone);
    const given = { id, unaId, name: 'Zone', settings, geometries: squares };
    return nodes[node].unaZones.register(given, { organisation, context });
  }

  async function upload(size: number, node = 0): Promise<NetworkPackage> {
    return nodes[node].packages.uploadTest(Readable.from([ Buffer.alloc(size) ]), organisation, context);
  }

  async function has(): Promise<unknown> {
    return records.holdings.get(organisation.id);
  }

  it('apply to its authorities.', async(): Promise<void> => {
    await addUna();
    await addUna();
    await expect(addUna()).rejects.toMatchObject({ name: 'TooManyUnas' });
    await expect(has()).resolves.toEqual({ unas: 3, zones: 0, positions: 0 });
    const again = { id: unaId, organisationId: organisation.id, name: 'Other', isKlim: true };
    await expect(nodes[0].unas.put(again, organisation, context)).resolves.toBe(false);
  });

  it('apply to its zones of both kinds together, even if both nodes add some at once.', async(): Promise<void> => {
    const [{ pdaZones, unaZones }] = nodes;
    const { zone: town } = await pdaZones.put({ ...zone, name: 'Town' }, organisation, context);
    const added = await Promise.allSettled(Array.from({ length: 6 }, async(_, at): Promise<UnaZone> =>
      register(1, { node: at % 2 })));
    const failures = added.flatMap((each): unknown[] => each.status === 'rejected' ? [ each.reason ] : []);
    expect(failures.map((reason): string => (reason as Error).name))
      .toEqual(Array.from({ length: 4 }, (): string => 'TooManyZones'));
    await expect(has()).resolves.toEqual({ unas: 1, zones: 3, positions: 15 });
    await expect(pdaZones.put({ ...zone, name: 'Other' }, organisation, context))
      .rejects.toMatchObject({ name: 'TooManyZones' });
    await expect(pdaZones.replace({ ...zone, id: town.id, name: 'Same' }, organisation, context))
      .resolves.toMatchObject({ name: 'Same' });
    await pdaZones.remove(town.id, organisation, context);
    const { id } = await register(1);
    await unaZones.remove(id, { organisation, context });
    await expect(has()).resolves.toEqual({ unas: 1, zones: 2, positions: 10 });
    await expect(records.unaZones.listGeometries(id)).resolves.toEqual([]);
  });

  it('apply to the positions of its zones.', async(): Promise<void> => {
    const [{ pdaZones, unaZones }] = nodes;
    const { id } = await register(5);
    const geometry = await unaZones.addGeometry(id, zone, { organisation, context });
    await expect(unaZones.addGeometry(id, zone, { organisation, context }))
      .rejects.toMatchObject({ name: 'TooManyZonePositions' });
    await expect(register(7, { id })).rejects.toMatchObject({ name: 'TooManyZonePositions' });
    await expect(pdaZones.put({ ...zone, name: 'Town' }, organisation, context))
      .rejects.toMatchObject({ name: 'TooManyZonePositions' });
    await unaZones.removeGeometry(id, geometry, { organisation, context });
    await expect(has()).resolves.toEqual({ unas: 1, zones: 1, positions: 25 });
    await register(6, { id });
    await expect(has()).resolves.toEqual({ unas: 1, zones: 1, positions: 30 });
  });

  it('leave existing items in place when lowered.', async(): Promise<void> => {
    const { id } = await register(6);
    const { unaZones } = makeNode(records, { ...limits, positions: 10 });
    await expect(unaZones.setSettings(id, { ...settings, language: 'fr' }, { organisation, context }))
      .resolves.toMatchObject({ settings: { language: 'fr' }});
    await expect(unaZones.addGeometry(id, zone, { organisation, context }))
      .rejects.toMatchObject({ name: 'TooManyZonePositions' });
    const [{ id: one }] = await records.unaZones.listGeometries(id);
    await unaZones.removeGeometry(id, one, { organisation, context });
    await expect(has()).resolves.toMatchObject({ positions: 25 });
  });

  it('include items counted by the upgrade.', async(): Promise<void> => {
    await register(4);
    await nodes[0].pdaZones.put({ ...zone, name: 'Town' }, organisation, context);
    const { db } = await openDatabase(place.records);
    await place.sql('drop index plan_packages_waiting');
    for (const table of [ 'plan_zone_geometries', 'plan_una_zones', 'plan_pda_zones' ]) {
      await place.sql(`alter table ${table} drop column positions`);
    }
    await up(db);
    await db.destroy();
    await expect(has()).resolves.toEqual({ unas: 1, zones: 2, positions: 25 });
  });

  describe('for packages that are tested', (): void => {
    it('apply to those waiting to be checked.', async(): Promise<void> => {
      const before = await readdir(folder);
      const first = await upload(600);
      await expect(upload(500, 1)).rejects.toMatchObject({ name: 'TooManyTests' });
      await upload(400, 1);
      await expect(upload(1)).rejects.toMatchObject({ name: 'TooManyTests' });
      expect((await readdir(folder)).length - before.length).toBe(2);
      const mine = organisation;
      organisation = newOrganisation();
      await upload(1000);
      organisation = mine;
      await records.transaction(async({ packages }): Promise<void> =>
        packages.finish({ ...first, state: 'Accepted', finishedAt: later(1) }));
      await nodes[0].validator.release({ id: 'job', kind: 'validate', subject: first.id, attempts: 1 });
      await expect(readdir(folder)).resolves.not.toContain(`${first.id}.zip`);
      await upload(600);
    });

    it('apply to their number, which delays no answer.', async(): Promise<void> => {
      for (let at = 0; at < limits.tests; at += 1) {
        await upload(1, at % 2);
      }
      await expect(upload(1)).rejects.toMatchObject({ name: 'TooManyTests' });
      organisation = newOrganisation();
      await upload(1);
      const jobs = await Promise.all([[ 'test' ], [ 'validate' ]].map(async(kinds): Promise<unknown> =>
        records.jobs.claim('one', later(100), kinds as JobKind[], (): Date => later(200))));
      expect(jobs).toEqual([ expect.objectContaining({ kind: 'test' }), undefined ]);
    });

    it('leave turns to other organisations.', async(): Promise<void> => {
      async function claimNext(): Promise<string | undefined> {
        const job = await records.jobs.claim('one', later(10_000), [ 'test' ], (): Date => later(20_000));
        await records.jobs.end(job?.id ?? '', 'one');
        return job?.subject;
      }
      while (await claimNext() !== undefined) {
        // Those of other tests.
      }
      const many = [ await upload(1), await upload(1, 1), await upload(1) ];
      organisation = newOrganisation();
      const one = await upload(1);
      const order = [ await claimNext(), await claimNext(), await claimNext(), await claimNext() ];
      expect(new Set(order.slice(0, 2))).toEqual(new Set([ many[0].id, one.id ]));
      expect(order.slice(2)).toEqual([ many[1].id, many[2].id ]);
    });

    it('apply to simultaneous ones at both nodes.', async(): Promise<void> => {
      for (let round = 0; round < 5; round += 1) {
        organisation = newOrganisation();
        const uploads = await Promise.allSettled([ 0, 1 ].map(async(node): Promise<unknown> => upload(600, node)));
        expect(uploads.map(({ status }): string => status)).toContain('fulfilled');
        await expect(records.packages.countWaitingTests(organisation.id)).resolves
          .toEqual({ bytes: 600, count: 1 });
      }
    });

    it('apply to simultaneous ones as they arrive.', async(): Promise<void> => {
      const before = (await readdir(folder)).length;
      const arrived = new EventEmitter();
      async function* slow(): AsyncIterable<Buffer> {
        yield Buffer.alloc(800);
        const end = once(arrived, 'end');
        arrived.emit('begin');
        await end;
      }
      const begun = once(arrived, 'begin');
      const first = nodes[0].packages.uploadTest(slow(), organisation, context);
      await begun;
      let read = 0;
      async function* endless(): AsyncIterable<Buffer> {
        for (;;) {
          read += 100;
          yield Buffer.alloc(100);
        }
      }
      await expect(nodes[0].packages.uploadTest(endless(), organisation, context))
        .rejects.toMatchObject({ name: 'TooManyTests' });
      expect(read).toBe(300);
      arrived.emit('end');
      await first;
      expect((await readdir(folder)).length - before).toBe(1);
      await upload(200);
    });
  });
});
