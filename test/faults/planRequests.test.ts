import { randomUUID } from 'node:crypto';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { packageSteps } from '../../src/plan-requests/packages/Report';
import { openDatabase } from '../../src/storage/database/engine';
import { answerJson } from '../support/loopback';
import { networkFiles } from '../support/networkPackage';
import type { PlanCaller } from '../support/PlanWorld';
import { PlanWorld, square } from '../support/PlanWorld';
import { databaseUrl, redisUrl } from '../support/postgres';
import { RecordService } from '../support/RecordService';
import { json } from '../support/sharingWorld';
import { makeCertificate, signedZip } from '../support/signedPackage';
import type { Certified } from '../support/signedPackage';
import { postgresStorage, storageOf } from '../support/storage';
import { removeFolder, temporaryFolder } from '../support/world';

const at = square(104_000, 193_000, 100);

async function until(what: string, check: () => Promise<boolean>): Promise<void> {
  const end = Date.now() + 120_000;
  while (!await check()) {
    if (Date.now() > end) {
      throw new Error(`${what} did not come about`);
    }
    await wait(100);
  }
}

const storages: [engine: string, makeStorage: typeof storageOf][] = [
  [ 'SQLite', storageOf ],
  ...databaseUrl && redisUrl ? [ [ 'PostgreSQL', postgresStorage ] satisfies [string, typeof storageOf] ] : [],
];

describe.each(storages)('Work of plan requests on %s', (...[ , makeStorage ]): void => {
  const registry = new RecordService();
  let world: PlanWorld;
  let folder: string;
  let builder: PlanCaller;
  let operator: PlanCaller;
  let unaId: string;
  /** The operator's certificate. */
  let signer: Certified;
  /** Names the step at which the server dies. */
  let dieAt: string;

  beforeAll(async(): Promise<void> => {
    await registry.start();
    registry.answer = (response, { UnaZoneId }): void => answerJson(response, 200, { UnaZoneId });
    folder = await temporaryFolder();
    process.env.TEST_ZONE_REGISTRY_SECRET = RecordService.clientSecret;
    const oauth =
      { issuer: registry.url, clientId: RecordService.clientId, clientSecretEnv: 'TEST_ZONE_REGISTRY_SECRET' };
    const planRegistry = join(folder, 'registry.json');
    await writeFile(planRegistry, JSON.stringify({ endpoint: `${registry.url}/zones`, oauth }));
    const authority = makeCertificate(folder, 'authority', '/CN=Authority');
    signer = makeCertificate(folder, 'water', '/CN=Water', authority);
    dieAt = join(folder, 'die-at');
    await writeFile(dieAt, '');
    process.env.DIE_AT_STEP = dieAt;
    process.env.NODE_OPTIONS = `--require ${join(__dirname, '../support/dieAtStep.js')}`;
    world = await PlanWorld.start({ planRegistry, planAuthorities: authority.certificate }, makeStorage);
    [ builder, operator ] = await world
      .addOrganisations([ 'MapRequestInitiator' ], [ 'UnaManager', 'UnaOperator' ]);
    unaId = randomUUID();
    const una = { UnaId: unaId, Name: 'Water', OrganisationId: operator.id, SigningCertificateSubject: 'CN=Water' };
    await operator.call('POST', `/una/${unaId}`, una);
  });

  afterAll(async(): Promise<void> => {
    delete process.env.TEST_ZONE_REGISTRY_SECRET;
    delete process.env.DIE_AT_STEP;
    delete process.env.NODE_OPTIONS;
    await Promise.all([ world?.stop(), registry.stop(), removeFolder(folder) ]);
  });

  async function addZone(): Promise<string> {
    const body = { UnaId: unaId, Name: 'Zone', Settings: { Language: 'nl' }, Geometries: [ at ]};
    return (await json<{ UnaZoneId: string }>(await operator.call('POST', '/unazone/registry', body))).UnaZoneId;
  }

  async function makeJobsDue(): Promise<void> {
    const { db } = await openDatabase(world.server.stored.place);
    await db.updateTable('planJobs').set({ dueAt: 0, heldUntil: 0 }).execute();
    await db.destroy();
  }

  /** Time at which the announcement of a zone is due. */
  async function dueAtOf(zone: string): Promise<number> {
    const { db } = await openDatabase(world.server.stored.place);
    const { dueAt } = await db.selectFrom('planJobs').select('dueAt').where('subject', '=', zone)
      .executeTakeFirstOrThrow();
    await db.destroy();
    return dueAt;
  }

  /** Number of times that a zone was announced. Those of earlier tests may be announced again meanwhile. */
  function announcements(zone: string): number {
    return registry.asked.filter(({ body }): boolean => body.UnaZoneId === zone).length;
  }

  async function upload(zone: string, archive: Buffer): Promise<{ id: string; place: string }> {
    const { MapRequestId: id } = await json<{ MapRequestId: string }>(await builder.call('POST', '/maprequest', {
      Reference: 'Street',
      StartDate: '2199-01-04',
      EndDate: '2199-01-05',
      NatureOfWorks: 'excavation',
      ContactInfo: { Name: 'Builder', Email: 'builder@example.org' },
      MapRequestZone: at,
    }));
    const place = `maprequest/${id}/unazone/${zone}`;
    const headers = { 'content-type': 'application/zip' };
    expect((await operator.call('POST', `/imkl/${place}`, archive, headers)).status).toBe(202);
    return { id, place };
  }

  it.each([ ...packageSteps, 'Validated' ])('checks a package once when killed at %s.', async(step): Promise<void> => {
    await writeFile(dieAt, step);
    const { id, place } = await upload(await addZone(), await signedZip(networkFiles(), signer));
    await expect(world.server.exited).resolves.toBe('SIGKILL');
    await writeFile(dieAt, '');
    // Without it, another process begins only after the time in which the killed one could have renewed its claim.
    await makeJobsDue();
    await world.restart();
    await until('a report', async(): Promise<boolean> => {
      const report = await json<{ State: string }>(await operator.call('GET', `/imkl/report/${place}`));
      return report.State === 'Accepted';
    });
    const { db } = await openDatabase(world.server.stored.place);
    const rows = await db.selectFrom('auditRows').select('type')
      .where('facts', 'like', `%${id}%`)
      .where('type', 'in', [ 'plan.package.accepted', 'plan.package.rejected' ])
      .execute();
    const jobs = await db.selectFrom('planJobs').select('id').where('kind', '=', 'validate').execute();
    const request = await db.selectFrom('planRequests').select('plans').where('id', '=', id).executeTakeFirst();
    await db.destroy();
    expect([ rows, jobs, request ]).toEqual([[{ type: 'plan.package.accepted' }], [], { plans: 1 }]);
  });

  it('announces a zone a third time when the server was killed after the second.', async(): Promise<void> => {
    registry.answer = (response): void => answerJson(response, 503, {});
    const zone = await addZone();
    for (const attempt of [ 1, 2 ]) {
      const line = `${zone} was not announced, attempt ${attempt}`;
      await until(line, async(): Promise<boolean> => world.server.log().includes(line));
      await until('the next attempt', async(): Promise<boolean> => await dueAtOf(zone) > Date.now() + 60_000);
      if (attempt === 1) {
        await makeJobsDue();
      }
    }
    const dueAt = await dueAtOf(zone);
    await world.crash();
    registry.answer = (response, { UnaZoneId }): void => answerJson(response, 200, { UnaZoneId });
    // Not because of the start, but two minutes after the second one.
    await expect(dueAtOf(zone)).resolves.toBe(dueAt);
    expect(announcements(zone)).toBe(2);
    await makeJobsDue();
    await until('the third one', async(): Promise<boolean> => {
      const response = await operator.call('GET', `/unazone/${zone}`);
      return (await json<{ RegistryState: string }>(response)).RegistryState === 'Registered';
    });
    expect(announcements(zone)).toBe(3);
  });
});
