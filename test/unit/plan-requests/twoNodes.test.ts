import { randomUUID } from 'node:crypto';
import { readZone } from '../../../src/plan-requests/geometry/readZone';
import type { Zone } from '../../../src/plan-requests/geometry/readZone';
import { MapRequestDrafts } from '../../../src/plan-requests/MapRequestDrafts';
import { MapRequests } from '../../../src/plan-requests/MapRequests';
import type { SentMapRequest } from '../../../src/plan-requests/MapRequests';
import { Notices } from '../../../src/plan-requests/notices/Notices';
import type { Organisation } from '../../../src/plan-requests/Organisations';
import { Organisations } from '../../../src/plan-requests/Organisations';
import { Overlays } from '../../../src/plan-requests/Overlays';
import { PdaZones } from '../../../src/plan-requests/PdaZones';
import type { MapRequestContent } from '../../../src/plan-requests/PlanStores';
import { Announcements } from '../../../src/plan-requests/registry/Announcements';
import { openPlanRecords } from '../../../src/plan-requests/storage/openPlanRecords';
import { SqlZoneVersionStore } from '../../../src/plan-requests/storage/SqlZoneVersionStore';
import { Unas } from '../../../src/plan-requests/Unas';
import { UnaZones } from '../../../src/plan-requests/UnaZones';
import { ZoneIndex } from '../../../src/plan-requests/ZoneIndex';
import { noLimits } from '../../support/planRecords';
import { square } from '../../support/PlanWorld';
import { array, assert, asyncProperty, constantFrom, integer, record } from '../../support/properties';
import { later, now, places } from '../storage/places';
import type { Place } from '../storage/places';

const context = { correlationId: 'one' };
const squares = 3;
const content: MapRequestContent = {
  reference: 'Street',
  startDate: '2199-01-04',
  endDate: '2199-01-05',
  natureOfWorks: 'excavation',
  tags: [],
  orderVectorData: false,
  contact: { Name: 'Builder', Email: 'builder@example.org' },
};

type Change = 'add' | 'confirm' | 'decline' | 'file' | 'look' | 'remove' | 'take away';

/** A call at one of the nodes: `which` picks a zone or request, `where` a square. */
interface Step {
  node: number;
  change: Change;
  which: number;
  where: number;
}

const step = record<Step>({
  node: integer({ min: 0, max: 1 }),
  change: constantFrom('add', 'confirm', 'decline', 'file', 'look', 'look', 'remove', 'take away'),
  which: integer({ min: 0, max: 5 }),
  where: integer({ min: 0, max: squares - 1 }),
});

/** A zone of the model: squares by the ids of its geometries. */
interface ModelZone {
  id: string;
  geometries: Map<string, number>;
}

/** A request of the model: states by zone. */
interface ModelRequest {
  id: string;
  states: Map<string, string>;
}

interface Node {
  mapRequests: MapRequests;
  overlays: Overlays;
  pdaZones: PdaZones;
  unas: Unas;
  unaZones: UnaZones;
}

function organisation(id: string): Organisation {
  return { id, name: id, clients: [], roles: [ 'MapRequestInitiator', 'PdaManager', 'UnaManager', 'UnaOperator' ]};
}

/** Checks whether a zone has not answered. */
function isOpen(state: string): boolean {
  return state !== 'NotInvolved';
}

/** Zones of the model that have a square. */
function at(where: number, model: { zones: ModelZone[] }): string[] {
  return model.zones.filter(({ geometries }): boolean => [ ...geometries.values() ].includes(where))
    .map(({ id }): string => id)
    .sort();
}

/** Zones of one organisation that a request was sent to, with their states. */
function ours({ zones: sent }: SentMapRequest, { id }: Organisation): [string, string][] {
  return sent.filter(({ organisationId }): boolean => organisationId === id)
    .map(({ state, zoneId }): [string, string] => [ zoneId, state ])
    .sort(([ one ], [ other ]): number => one < other ? -1 : 1);
}

/** A database in which something happens after each read of many rows. */
function interrupted<T extends object>(target: T, meanwhile: () => Promise<unknown>): T {
  return new Proxy(target, {
    get(_, name): unknown {
      const member: unknown = Reflect.get(target, name);
      if (typeof member !== 'function') {
        return member;
      }
      return (...args: unknown[]): unknown => {
        const result = Reflect.apply(member, target, args) as Promise<unknown>;
        return name === 'execute' ?
            result.then(async(rows): Promise<unknown> => meanwhile().then((): unknown => rows)) :
            interrupted(result, meanwhile);
      };
    },
  });
}

describe.each(places)('Two nodes with plan requests, on %s,', (_engine, makePlace): void => {
  let place: Place;
  let nodes: Node[];
  let zones: Zone[];
  let seconds = 0;

  beforeAll(async(): Promise<void> => {
    place = await makePlace();
    zones = await Promise.all(Array.from({ length: squares }, async(_, index): Promise<Zone> =>
      readZone(square(104_000 + (index * 1000), 193_000, 100), {})));
    nodes = [ await makeNode(), await makeNode() ];
  });

  afterAll(async(): Promise<void> => place.remove());

  function clock(): Date {
    seconds += 1;
    return later(seconds);
  }

  async function makeNode(between?: () => Promise<unknown>): Promise<Node> {
    const records = openPlanRecords((await place.open()).tables, randomUUID);
    const index = new ZoneIndex(records.zoneVersions);
    const shared = { records, limits: noLimits, now: clock, newId: randomUUID };
    const url = 'https://plans.example/ws/plans/v3';
    const organisations = new Organisations([], 'organisation_id', 'https://pods.example/');
    const notices = new Notices({ organisations, isMailed: false, url, now: clock });
    const terms = { confirm: 2, answer: 5, package: 7, klim: 15 };
    const drafts = new MapRequestDrafts({ ...shared, index, terms, naturesOfWorks: new Set([ 'excavation' ]) });
    const logger = { error: fail, warn: fail, info: fail, debug: fail };
    return {
      mapRequests: new MapRequests({
        ...shared,
        notices,
        drafts: {
          async draft(...args): ReturnType<MapRequestDrafts['draft']> {
            const draft = await drafts.draft(...args);
            await between?.();
            return draft;
          },
        },
      }),
      overlays: new Overlays({ ...shared, index }),
      pdaZones: new PdaZones({ ...shared, index }),
      unas: new Unas(shared),
      unaZones: new UnaZones({ ...shared, announcements: new Announcements({ ...shared, logger }) }),
    };
  }

  it('find, file and answer alike, whatever changes on either.', async(): Promise<void> => {
    await assert(asyncProperty(array(step, { minLength: 10, maxLength: 40 }), async(steps): Promise<void> => {
      const us = organisation(randomUUID());
      const unaId = randomUUID();
      await nodes[0].unas.put({ id: unaId, organisationId: us.id, name: 'Una', isKlim: false }, us, context);
      const model = { zones: [] as ModelZone[], requests: [] as ModelRequest[] };
      for (const each of steps) {
        await take(each, us, unaId, model);
      }
      for (const { mapRequests } of nodes) {
        const filed = await mapRequests.listFiled(us, { offset: 0, limit: 100 });
        expect(filed.map(({ request: { id }}): string => id))
          .toEqual(model.requests.map(({ id }): string => id).reverse());
        const received = await mapRequests.listReceived(us, { offset: 0, limit: 100, closed: false });
        expect(received.map(({ request: { id }}): string => id)).toEqual(model.requests
          .filter(({ states }): boolean => [ ...states.values() ].some(isOpen))
          .map(({ id }): string => id)
          .reverse());
      }
    }), { numRuns: 15 });
  });

  async function makeZone(): Promise<{ us: Organisation; zoneId: string }> {
    const us = organisation(randomUUID());
    const unaId = randomUUID();
    await nodes[0].unas.put({ id: unaId, organisationId: us.id, name: 'Una', isKlim: false }, us, context);
    const settings = { language: 'nl' as const, mails: {}};
    const { id } = await nodes[0].unaZones
      .register({ unaId, name: 'Zone', settings, geometries: [ zones[0] ]}, { organisation: us, context });
    return { us, zoneId: id };
  }

  it('send nothing to a zone removed while a request is filed.', async(): Promise<void> => {
    const { us, zoneId } = await makeZone();
    const other = await makeZone();
    let removal: Promise<void> | undefined;
    const slow = await makeNode(async(): Promise<void> => {
      removal ??= nodes[1].unaZones.remove(zoneId, { organisation: us, context });
      await removal;
    });
    const filed = await slow.mapRequests.file(content, zones[0], us, context);
    expect([ ours(filed, us), ours(filed, other.us) ]).toEqual([[], [[ other.zoneId, 'ToConfirm' ]]]);
    expect(filed.request.zones).toBe(filed.zones.length);
    await expect(nodes[1].mapRequests.listReceived(us, { offset: 0, limit: 100 })).resolves.toEqual([]);
  });

  it('keep a zone that a request is sent to at the same moment, or do not send it.', async(): Promise<void> => {
    for (let round = 0; round < 10; round += 1) {
      const { us, zoneId } = await makeZone();
      const [ filing, removal ] = await Promise.allSettled([
        nodes[0].mapRequests.file(content, zones[0], us, context),
        nodes[1].unaZones.remove(zoneId, { organisation: us, context }),
      ]);
      expect(filing).toMatchObject({ status: 'fulfilled' });
      const sent = ours((filing as PromiseFulfilledResult<SentMapRequest>).value, us);
      expect(sent).toHaveLength(removal.status === 'fulfilled' ? 0 : 1);
      expect((removal as PromiseRejectedResult).reason ?? { name: 'ZoneInUse' }).toMatchObject({ name: 'ZoneInUse' });
    }
  });

  it('load the operator of every zone, also of one registered meanwhile.', async(): Promise<void> => {
    const { db } = (await place.open()).tables;
    const { unas, unaZones } = await new SqlZoneVersionStore(interrupted(db, makeZone)).listAfter(0);
    const known = new Set(unas.map(({ id }): string => id));
    expect(unaZones.filter(({ unaId }): boolean => !known.has(unaId))).toEqual([]);
  });

  it('leave a zone removed that is changed at the same moment.', async(): Promise<void> => {
    for (let round = 0; round < 20; round += 1) {
      const { us, zoneId } = await makeZone();
      const by = { organisation: us, context };
      const { zone } = await nodes[0].pdaZones.put({ ...zones[0], name: 'Town' }, us, context);
      await Promise.allSettled([
        nodes[0].unaZones.setSettings(zoneId, { language: 'fr', mails: {}}, by),
        nodes[0].pdaZones.replace({ ...zone, name: 'City' }, us, context),
        nodes[1].unaZones.remove(zoneId, by),
        nodes[1].pdaZones.remove(zone.id, us, context),
      ]);
      await expect(nodes[0].unaZones.get(zoneId, us)).rejects.toMatchObject({ name: 'UnaZoneNotFound' });
      await expect(nodes[0].pdaZones.list(us)).resolves.toEqual([]);
    }
  });

  it('keep the name and the settings of a zone that both change at once.', async(): Promise<void> => {
    for (let round = 0; round < 20; round += 1) {
      const { us, zoneId } = await makeZone();
      const { unaId } = await nodes[0].unaZones.get(zoneId, us);
      const by = { organisation: us, context };
      const settings = { language: 'de' as const, mails: {}};
      await Promise.all([
        nodes[0].unaZones.setSettings(zoneId, { language: 'fr', mails: {}}, by),
        nodes[1].unaZones.register({ id: zoneId, unaId, name: 'New', settings, geometries: []}, by),
      ]);
      await expect(nodes[0].unaZones.get(zoneId, us)).resolves.toMatchObject({ name: 'New' });
    }
  });

  it('give an id to one of two organisations that use it at once.', async(): Promise<void> => {
    for (let round = 0; round < 20; round += 1) {
      const id = randomUUID();
      const results = await Promise.allSettled([ 0, 1 ].flatMap((node): Promise<unknown>[] => {
        const us = organisation(randomUUID());
        return [
          nodes[node].unas.put({ id, organisationId: us.id, name: 'Una', isKlim: false }, us, context),
          nodes[node].pdaZones.put({ ...zones[0], id, name: 'Town' }, us, context),
        ];
      }));
      const refused = results.filter(({ status }): boolean => status === 'rejected');
      expect(refused).toMatchObject([ 0, 1 ].map((): object => ({ reason: { name: 'NotOfOrganisation' }})));
    }
  });

  async function take(
    { change, node, where, which }: Step,
    us: Organisation,
    unaId: string,
    model: { zones: ModelZone[]; requests: ModelRequest[] },
  ): Promise<void> {
    const { mapRequests, overlays, unaZones } = nodes[node];
    const by = { organisation: us, context };
    const zone = model.zones.at(which % Math.max(1, model.zones.length));
    const request = model.requests.at(which % Math.max(1, model.requests.length));
    if (change === 'add') {
      if (zone && which > 1) {
        zone.geometries.set(await unaZones.addGeometry(zone.id, zones[where], by), where);
      } else {
        const settings = { language: 'nl' as const, mails: {}};
        const { id } = await unaZones.register({ unaId, name: 'Zone', settings, geometries: []}, by);
        const geometry = await unaZones.addGeometry(id, zones[where], by);
        model.zones.push({ id, geometries: new Map([[ geometry, where ]]) });
      }
    } else if (change === 'take away' && zone && zone.geometries.size > 0) {
      const [ geometry ] = zone.geometries.keys();
      await unaZones.removeGeometry(zone.id, geometry, by);
      zone.geometries.delete(geometry);
    } else if (change === 'remove' && zone) {
      const isUsed = model.requests.some(({ states }): boolean => isOpen(states.get(zone.id) ?? 'NotInvolved'));
      const removal = unaZones.remove(zone.id, by);
      if (isUsed) {
        await expect(removal).rejects.toMatchObject({ name: 'ZoneInUse' });
      } else {
        await removal;
        model.zones.splice(model.zones.indexOf(zone), 1);
      }
    } else if (change === 'file') {
      const filed: SentMapRequest = await mapRequests.file(content, zones[where], us, context);
      const states = new Map(at(where, model).map((id): [string, string] => [ id, 'ToConfirm' ]));
      expect(ours(filed, us)).toEqual([ ...states ]);
      model.requests.push({ id: filed.request.id, states });
    } else if ((change === 'confirm' || change === 'decline') && request && request.states.size > 0) {
      const ids = [ ...request.states.keys() ];
      const zoneId = ids[which % ids.length];
      const reply = change === 'confirm' ? 'Confirmed' as const : 'NotInvolved' as const;
      const isAnswered = request.states.get(zoneId) === 'NotInvolved';
      await expect(mapRequests.reply({ requestId: request.id, zoneId, reply }, us, context))
        .resolves.toBe(isAnswered ? 'Invalid' : reply);
      request.states.set(zoneId, isAnswered ? 'NotInvolved' : reply);
    } else if (change === 'look') {
      const { unas } = await overlays.make(zones[where], us, context);
      expect(unas.find((una): boolean => una.unaId === unaId)?.unaZoneIds ?? []).toEqual(at(where, model));
      if (request) {
        expect(ours(await mapRequests.getFiled(request.id, us), us)).toEqual([ ...request.states ]);
      }
    }
  }
});

function fail(message: string): never {
  throw new Error(`${message}, at ${now.toISOString()}`);
}
