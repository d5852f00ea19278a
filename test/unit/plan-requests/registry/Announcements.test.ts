import { randomUUID } from 'node:crypto';
import type { ServerResponse } from 'node:http';
import { readZone } from '../../../../src/plan-requests/geometry/readZone';
import { Jobs } from '../../../../src/plan-requests/jobs/Jobs';
import type { Organisation } from '../../../../src/plan-requests/Organisations';
import { jobKinds } from '../../../../src/plan-requests/PlanStores';
import type { UnaZone } from '../../../../src/plan-requests/PlanStores';
import { Announcements } from '../../../../src/plan-requests/registry/Announcements';
import { Registry } from '../../../../src/plan-requests/registry/Registry';
import { UnaZones } from '../../../../src/plan-requests/UnaZones';
import { answerJson } from '../../../support/loopback';
import type { OpenPlanRecords } from '../../../support/planRecords';
import { makePlanRecords, noLimits } from '../../../support/planRecords';
import { square } from '../../../support/PlanWorld';
import { RecordService } from '../../../support/RecordService';

const start = new Date('2026-11-23T08:00:00Z');
const organisation: Organisation = { id: randomUUID(), name: 'Water', clients: [], roles: [ 'UnaManager' ]};
const change = { organisation, context: { correlationId: randomUUID() }};
/** Long enough for a busy machine to get a token. */
const briefMs = 1500;
const secrets = [ RecordService.clientSecret, 'plans@water.example' ];

function take(response: ServerResponse, { UnaZoneId }: Record<string, unknown>): void {
  answerJson(response, 200, { UnaZoneId });
}

describe('Zones are announced to the registry', (): void => {
  const service = new RecordService();
  const messages: string[] = [];
  let now = start;
  let open: OpenPlanRecords;
  let unaZones: UnaZones;
  let jobs: Jobs;
  let unaId: string;

  beforeAll(async(): Promise<void> => service.start());

  beforeEach(async(): Promise<void> => {
    now = start;
    messages.length = 0;
    service.asked.length = 0;
    service.answer = take;
    open = await makePlanRecords((): Date => now);
    unaId = randomUUID();
    await open.records.transaction(async({ unas }): Promise<void> =>
      unas.save({ id: unaId, organisationId: organisation.id, name: 'Water', isKlim: true }));
    use(service.url);
  });

  afterEach(async(): Promise<void> => open.close());

  afterAll(async(): Promise<void> => service.stop());

  function use(url: string | undefined, holder = 'one', timeoutMs = 60_000): void {
    const { records } = open;
    const { clientId, clientSecret } = RecordService;
    const registry = url === undefined ?
      undefined :
        new Registry({ endpoint: `${url}/zones`, issuer: url, clientId, clientSecret }, (): Date => now, timeoutMs);
    const logger = {
      warn: (message: string): number => messages.push(message),
      error: (message: string): number => messages.push(message),
    } as never;
    const announcements = new Announcements({ records, registry, logger, now: (): Date => now });
    unaZones = new UnaZones({ records, announcements, limits: noLimits, now: (): Date => now, newId: randomUUID });
    const work = { announce: announcements.announce.bind(announcements) };
    jobs = new Jobs({ records, holder, work, logger, now: (): Date => now });
  }

  async function register(id?: string): Promise<UnaZone> {
    const settings = { language: 'nl' as const, contactEmail: 'plans@water.example', mails: {}};
    const geometries = [ await readZone(square(104_000, 193_000, 100), {}) ];
    return unaZones.register({ id, unaId, name: 'Ghent', settings, geometries }, change);
  }

  async function runAfter(seconds: number): Promise<void> {
    now = new Date(now.getTime() + (seconds * 1000));
    await jobs.run();
    while (jobs.isBusy) {
      await new Promise((resolve): void => {
        setTimeout(resolve, 5);
      });
    }
  }

  async function stateOf({ id }: UnaZone): Promise<string> {
    return (await unaZones.get(id, organisation)).registryState;
  }

  it('on registration, each change, and removal.', async(): Promise<void> => {
    const zone = await register();
    expect(zone.registryState).toBe('Registering');
    await runAfter(0);
    await expect(stateOf(zone)).resolves.toBe('Registered');
    expect(service.asked).toEqual([{ path: '/zones/unazone', body: {
      UnaZoneId: zone.id,
      UnaId: unaId,
      Version: expect.any(Number),
      Removed: false,
      Una: expect.objectContaining({ UnaId: unaId, Name: 'Water', IsKlim: true }),
      Name: 'Ghent',
      Settings: { ContactEmail: 'plans@water.example', Language: 'nl', Mails: {}},
      Geometries: [{
        UtilityNetworkAuthorityZoneGeometryId: expect.any(String),
        Srs: 'EPSG:31370',
        ...square(104_000, 193_000, 100),
      }],
    }}]);
    const added = await unaZones.addGeometry(zone.id, await readZone(square(105_000, 193_000, 10), {}), change);
    await expect(stateOf(zone)).resolves.toBe('Registering');
    await runAfter(0);
    await unaZones.removeGeometry(zone.id, added, change);
    await runAfter(0);
    await unaZones.setSettings(zone.id, { language: 'fr', mails: {}}, change);
    await runAfter(0);
    await expect(stateOf(zone)).resolves.toBe('Registered');
    await unaZones.remove(zone.id, change);
    await runAfter(0);
    const told = service.asked.map(({ body }): Record<string, unknown> => body);
    expect(told.map(({ Geometries }): number | undefined => (Geometries as object[] | undefined)?.length))
      .toEqual([ 1, 2, 1, 1, undefined ]);
    expect(told[3].Settings).toEqual({ Language: 'fr', Mails: {}});
    expect(told[4]).toEqual({ UnaZoneId: zone.id, UnaId: unaId, Version: expect.any(Number), Removed: true });
    const versions = told.map(({ Version }): number => Version as number);
    expect(versions.every((version, at): boolean => at === 0 || version > versions[at - 1])).toBe(true);
    await runAfter(3600);
    expect(service.asked).toHaveLength(5);
  });

  it.each<[string, RecordService['answer'], timeoutMs?: number]>([
    [ 'is out of order', (response): void => answerJson(response, 503, { secrets }) ],
    [ 'refuses', (response): void => answerJson(response, 400, { secrets }) ],
    [ 'believes no token', (response): void => answerJson(response, 401, { secrets }) ],
    [ 'sends something else than JSON', (response): unknown => response.end(`<p>${secrets[0]}</p>`) ],
    [ 'sends broken JSON', (response): unknown =>
      response.setHeader('content-type', 'application/json').end(`{"${secrets[0]}`) ],
    [ 'names another zone', (response): void => answerJson(response, 200, { UnaZoneId: secrets }) ],
    [ 'sends no object', (response): void => answerJson(response, 200, secrets) ],
    [ 'sends too much', (response): void => answerJson(response, 200, { UnaZoneId: secrets[0].repeat(10_000) }) ],
    [ 'leads elsewhere', (response): unknown =>
      response.writeHead(307, { location: `http://${response.req.headers.host}/elsewhere` }).end() ],
    [ 'hangs up', (response): unknown => response.destroy() ],
    [ 'does not respond', (): void => {
      // Until the announcement is given up.
    }, briefMs ],
    [ 'stops in the middle', (response): unknown =>
      response.writeHead(200, { 'content-type': 'application/json' }).write('{'), briefMs ],
  ])('three times, two minutes apart, when it %s.', async(...[ , answer, timeoutMs ]): Promise<void> => {
    use(service.url, 'one', timeoutMs);
    let calls = 0;
    service.answer = (response, body): void => {
      calls += 1;
      answer!(response, body);
    };
    const zone = await register();
    await runAfter(0);
    const perAttempt = calls;
    await runAfter(119);
    expect([ calls, await stateOf(zone) ]).toEqual([ perAttempt, 'Registering' ]);
    await runAfter(1);
    expect([ calls, await stateOf(zone) ]).toEqual([ 2 * perAttempt, 'Registering' ]);
    await runAfter(120);
    expect([ calls, await stateOf(zone) ]).toEqual([ 3 * perAttempt, 'RegistrationFailed' ]);
    await runAfter(100_000);
    expect(calls).toBe(3 * perAttempt);
    expect(messages).toHaveLength(3);
    expect(messages[2]).toContain(`Zone ${zone.id} was not announced, attempt 3 of 3: `);
    const said = messages.join(' ');
    expect(secrets.some((secret): boolean => said.includes(secret))).toBe(false);
    // Registering again starts over.
    service.answer = take;
    await expect(register(zone.id)).resolves.toMatchObject({ id: zone.id, registryState: 'Registering' });
    await runAfter(0);
    await expect(stateOf(zone)).resolves.toBe('Registered');
  });

  it('once it is available again.', async(): Promise<void> => {
    await service.stop();
    const zone = await register();
    await runAfter(0);
    await runAfter(120);
    await service.start();
    await expect(stateOf(zone)).resolves.toBe('Registering');
    await runAfter(120);
    await expect(stateOf(zone)).resolves.toBe('Registered');
    expect(service.asked).toHaveLength(1);
  });

  it('at most three times, two minutes apart, by processes that end in the middle.', async(): Promise<void> => {
    const zone = await register();
    for (const holder of [ 'one', 'two' ]) {
      await expect(open.records.jobs.claim(holder, now, jobKinds, (): Date => new Date(now.getTime() + 120_000)))
        .resolves.toMatchObject({ kind: 'announce', subject: zone.id });
      await runAfter(119);
      expect(service.asked).toHaveLength(0);
      now = new Date(now.getTime() + 1000);
    }
    use(service.url, 'three');
    await runAfter(0);
    expect([ service.asked.length, await stateOf(zone) ]).toEqual([ 1, 'Registered' ]);
    await register(zone.id);
    for (const holder of [ 'one', 'two', 'three' ]) {
      await open.records.jobs.claim(holder, now, jobKinds, (): Date => now);
    }
    await runAfter(0);
    expect([ service.asked.length, await stateOf(zone) ]).toEqual([ 1, 'RegistrationFailed' ]);
  });

  it('once by several processes, and by its latest state.', async(): Promise<void> => {
    const asked: (() => void)[] = [];
    service.answer = (response, body): void => {
      asked.push((): void => take(response, body));
    };
    const zone = await register();
    const first = jobs;
    await first.run();
    use(service.url, 'two');
    await runAfter(0);
    while (asked.length === 0) {
      await new Promise(setImmediate);
    }
    expect(service.asked).toHaveLength(1);
    await unaZones.setSettings(zone.id, { language: 'de', mails: {}}, change);
    service.answer = take;
    asked[0]();
    while (first.isBusy) {
      await new Promise(setImmediate);
    }
    // The response to the first request does not count.
    expect([ service.asked.length, await stateOf(zone) ]).toEqual([ 2, 'Registered' ]);
    expect(service.asked[1].body).toMatchObject({ Settings: { Language: 'de' }});
  });

  it('only if there is one.', async(): Promise<void> => {
    use(undefined);
    const zone = await register();
    expect(zone.registryState).toBe('NotAnnounced');
    await unaZones.setSettings(zone.id, { language: 'de', mails: {}}, change);
    await runAfter(0);
    use(service.url);
    await register(zone.id);
    // The operator no longer configures one.
    use(undefined);
    await runAfter(0);
    await expect(stateOf(zone)).resolves.toBe('NotAnnounced');
    expect(service.asked).toEqual([]);
  });
});
