import { randomUUID } from 'node:crypto';
import { operate } from '../support/commandLine';
import { databaseUrl } from '../support/postgres';
import { expectSound } from './killAtEveryStep';
import { KillWorld } from './KillWorld';
import type { CitizenWithPod } from './KillWorld';
import type { Engine } from './killStorage';

const engines: Engine[] = databaseUrl === undefined ? [ 'SQLite' ] : [ 'SQLite', 'PostgreSQL' ];
const content = { raw: Buffer.from('{}'), headers: { 'content-type': 'application/ld+json' }};

describe.each(engines)('With data that only pods or only records have, on %s,', (engine): void => {
  let world: KillWorld;
  let citizen: CitizenWithPod;

  beforeAll(async(): Promise<void> => {
    world = await KillWorld.start(engine);
    // A server begins its first sweep of a day by itself some seconds after its start, and would be first.
    await sweep();
  });

  beforeEach(async(): Promise<void> => {
    citizen = await world.citizen();
  });

  afterAll(async(): Promise<void> => world?.stop());

  async function sweep(): Promise<string> {
    const { code, output } = await operate(world.place, [ 'sweep' ]);
    expect(code).toBe(0);
    return output;
  }

  it('a sweep removes data that was never shared, and marks data that is gone.', async(): Promise<void> => {
    const lost = await world.shareNew(citizen);
    const shared = await world.shareNew(citizen);
    const id = randomUUID();
    const stray = `${citizen.podUrl}credentials/${id.slice(0, 2)}/${id}`;
    const own = `${citizen.podUrl}credentials/own`;
    expect((await world.ask(citizen, 'PUT', stray, content))?.status).toBe(201);
    expect((await world.ask(citizen, 'PUT', own, content))?.status).toBe(201);
    await world.sql(`delete from shares where resource = '${lost.podResource}'`);
    await world.sql(`update shares set absent_at = 1, check_at = null where resource = '${shared.podResource}'`);
    await expect(sweep()).resolves.toContain('not on record: 2. Shares marked as gone or back: 1. Failed: 0.');
    const statuses = await Promise.all([ stray, lost.podResource, own, shared.podResource ]
      .map(async(url): Promise<unknown> => (await world.ask(citizen, 'GET', url))?.status));
    expect(statuses).toEqual([ 404, 404, 200, 200 ]);
    expect((await world.read(shared, { verified: true }))?.status).toBe(200);
    await world.sql(`delete from access_grants where resources like '%${lost.podResource}%'`);
    await world.sql(`delete from grant_resources where resource = '${lost.podResource}'`);
    expect((await world.ask(citizen, 'DELETE', own))?.status).toBe(205);
    await expectSound(world, 'there was a sweep');
  });

  it('a node killed during a sweep leaves the rest to the next start.', async(): Promise<void> => {
    const strays = Array.from({ length: 3 }, (): string => {
      const id = randomUUID();
      return `${citizen.podUrl}credentials/${id.slice(0, 2)}/${id}`;
    });
    for (const stray of strays) {
      expect((await world.ask(citizen, 'PUT', stray, content))?.status).toBe(201);
    }
    await world.running.arm({ at: 6 });
    const swept = sweep();
    await world.running.gone();
    await world.restart();
    // As if the lease of the killed process had expired.
    await world.sql('update duties set until = 0');
    await swept;
    const statuses = await Promise.all(strays.map(async(url): Promise<unknown> =>
      (await world.ask(citizen, 'GET', url))?.status));
    expect(statuses).toEqual([ 404, 404, 404 ]);
    await expectSound(world, 'a sweep was killed');
  });

  it('a sweep removes the remains of erased pods.', async(): Promise<void> => {
    await world.shareNew(citizen);
    const { podUrl } = citizen;
    // As if an overtaken process had created it again.
    await world.sql(`delete from pod_tombstones`);
    await world.sql(`insert into pod_tombstones (pod_url, erased_at) values ('${podUrl}', 1)`);
    for (const table of [ 'shares', 'citizens' ]) {
      await world.sql(`delete from ${table}`);
    }
    await world.sql('delete from pod_owners');
    await world.sql('delete from access_grants');
    await expect(sweep()).resolves.toContain('not on record: 1.');
    await expect(world.findings().then((found): string[] =>
      found.filter((finding): boolean => finding.includes(podUrl)))).resolves.toEqual([]);
  });
});
