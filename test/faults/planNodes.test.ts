/* eslint-disable jest/require-top-level-describe, jest/consistent-test-it -- within describeOnBoth */
import { randomUUID } from 'node:crypto';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { openDatabase } from '../../src/storage/database/engine';
import { LoadBalancer, nodeHeader } from '../support/LoadBalancer';
import { answerJson } from '../support/loopback';
import { networkFiles, zip } from '../support/networkPackage';
import { square } from '../support/PlanWorld';
import { describeOnBoth } from '../support/postgres';
import { array, assert, asyncProperty, constantFrom, integer, record } from '../support/properties';
import { RecordService } from '../support/RecordService';
import { json, until } from '../support/sharingWorld';
import type { SmtpServer } from '../support/SmtpServer';
import { startSmtpServer } from '../support/SmtpServer';
import type { TestStorage } from '../support/storage';
import { postgresStorage } from '../support/storage';
import { TestIssuer } from '../support/TestIssuer';
import type { Client, TestServer } from '../support/world';
import { createClient, freePort, removeFolder, startServer, temporaryFolder } from '../support/world';

const squares = 2;
const openStates: ReadonlySet<string | undefined> = new Set([ 'ToConfirm', 'Confirmed' ]);
/** South of Ghent, where each run of the property has its own squares. */
const y = 193_000;

type Change = 'answer' | 'confirm' | 'decline' | 'duel' | 'file' | 'look' | 'register' | 'remove';

/** A call at one of the nodes: `which` picks a zone or request, `where` a square. */
interface Step {
  node: number;
  change: Change;
  which: number;
  where: number;
}

const step = record<Step>({
  node: integer({ min: 0, max: 1 }),
  change: constantFrom('answer', 'confirm', 'decline', 'duel', 'file', 'file', 'look', 'register', 'remove'),
  which: integer({ min: 0, max: 5 }),
  where: integer({ min: 0, max: squares - 1 }),
});

/** A request of the model: states by zone. */
interface ModelRequest {
  id: string;
  where: number;
  states: Map<string, string>;
}

/** Everything that one run created. */
interface Model {
  /** West side of its first square. */
  x: number;
  reference: string;
  zones: { id: string; where: number; mailbox: string }[];
  requests: ModelRequest[];
}

/** A mail in the model: its recipient, and the request it is about. */
type Mailed = `${string} ${string}`;

interface Listed {
  MapRequestId: string;
  Status: string;
  Unas: { UnaZoneId: string; State: string }[];
}

function statusOf({ states }: ModelRequest): string {
  const all = [ ...states.values() ];
  if (all.length === 0) {
    return 'NoUnaInvolved';
  }
  const hasPlans = all.includes('Responded');
  if (all.some((state): boolean => openStates.has(state))) {
    return hasPlans ? 'IncompleteAnswerAvailable' : 'Waiting';
  }
  return hasPlans ? 'PlansAvailable' : 'NoNetworksInZone';
}

function sorted(states: Iterable<[string, string]>): [string, string][] {
  return [ ...states ].sort(([ one ], [ other ]): number => one < other ? -1 : 1);
}

/** Each part of a mail has its own encoding: this undoes the line breaks that it adds to quoted-printable text. */
function withoutSoftBreaks(text: string): string {
  return text.replaceAll('=\r\n', '');
}

async function packageAt({ x }: Model, where: number): Promise<Buffer> {
  const west = x + (where * 1500);
  return zip(networkFiles({ posList: `${west} ${y} ${west + 50} ${y}` }));
}

function squareAt({ x }: Model, where: number): object {
  return square(x + (where * 1500), y, 100);
}

describeOnBoth('Two server processes with plan requests on PostgreSQL', (): void => {
  const registry = new RecordService();
  const builder = randomUUID();
  const operator = randomUUID();
  const unaId = randomUUID();
  const clients = new Map<string, Client>();
  /** Number of announcements of each zone. */
  const announced = new Map<string, number>();
  let folder: string;
  let storage: TestStorage;
  let balancer: LoadBalancer;
  let issuer: TestIssuer;
  let smtp: SmtpServer;
  let nodes: TestServer[] = [];
  let base: string;
  let runs = 0;
  let registered = 0;
  const mails: Mailed[] = [];
  /** Mailboxes of removed zones: mails not sent by then are never sent. */
  const removed = new Set<string>();

  beforeAll(async(): Promise<void> => {
    folder = await temporaryFolder();
    storage = await postgresStorage(folder);
    const port = await freePort();
    base = `http://localhost:${port}/`;
    [ balancer, issuer, smtp ] =
      await Promise.all([ LoadBalancer.start(port), TestIssuer.start(), startSmtpServer(), registry.start() ]);
    registry.answer = (response, { UnaZoneId: zone, Version: version }): void => {
      const key = `${String(zone)} ${String(version)}`;
      announced.set(key, (announced.get(key) ?? 0) + 1);
      answerJson(response, 200, { UnaZoneId: zone });
    };
    process.env.TEST_ZONE_REGISTRY_SECRET = RecordService.clientSecret;
    const oauth =
      { issuer: registry.url, clientId: RecordService.clientId, clientSecretEnv: 'TEST_ZONE_REGISTRY_SECRET' };
    await writeFile(join(folder, 'registry.json'), JSON.stringify({ endpoint: `${registry.url}/zones`, oauth }));
    const roles = { [builder]: [ 'MapRequestInitiator' ], [operator]: [ 'UnaManager', 'UnaOperator' ]};
    const organisations = Object.entries(roles).map(([ id, held ]): object =>
      ({ id, name: id, clients: [ `https://${id}.example/id` ], roles: held }));
    await writeFile(join(folder, 'organisations.json'), JSON.stringify(organisations));
    await mkdir(join(folder, 'keys'), { mode: 0o700 });
    for (const id of [ builder, operator ]) {
      const token = await issuer.sign({ client_id: `https://${id}.example/id` });
      clients.set(id, (await createClient('Bearer')).withToken(token));
    }
    nodes = await Promise.all([ startNode(0), startNode(1) ]);
    balancer.ports = nodes.map((node): number => Number(new URL(node.base).port));
    const una = { UnaId: unaId, Name: 'Una', OrganisationId: operator };
    await call(operator, 0, 'POST', `/una/${unaId}`, una);
  });

  afterAll(async(): Promise<void> => {
    delete process.env.TEST_ZONE_REGISTRY_SECRET;
    await Promise.all(nodes.map(async(node): Promise<void> => node.crash()));
    await Promise.all([ balancer.stop(), issuer.stop(), smtp.stop(), registry.stop() ]);
    await storage.remove();
    await removeFolder(folder);
  });

  async function startNode(index: number): Promise<TestServer> {
    const { config, flags } = storage.options({});
    return startServer({
      config,
      folder: join(folder, `node-${index}`),
      addition: 'plan-requests.json',
      flags: {
        ...flags,
        records: storage.place,
        baseUrl: base,
        keys: join(folder, 'keys'),
        planRequests: 'plans',
        organisations: join(folder, 'organisations.json'),
        planPackages: join(folder, 'packages'),
        planRegistry: join(folder, 'registry.json'),
        trustedIssuers: issuer.issuer,
        smtp: `smtp://127.0.0.1:${smtp.port}`,
      },
    });
  }

  async function call(who: string, node: number, method: string, path: string, body?: unknown): Promise<Response> {
    const type: Record<string, string> = Buffer.isBuffer(body) ? { 'content-type': 'application/zip' } : {};
    const headers = { ...type, organisationId: who, [nodeHeader]: String(node) };
    return clients.get(who)!.request(method, `${base}ws/plans/v3${path}`, { body, headers });
  }

  async function upload(node: number, request: string, zone: string, bytes: Buffer): Promise<number> {
    return (await call(operator, node, 'POST', `/imkl/maprequest/${request}/unazone/${zone}`, bytes)).status;
  }

  async function validated(node: number, request: string, zone: string): Promise<string> {
    const path = `/imkl/report/maprequest/${request}/unazone/${zone}`;
    let state = '';
    await until(async(): Promise<boolean> => {
      state = (await json<{ State: string }>(await call(operator, node, 'GET', path))).State;
      return state !== 'Validating';
    });
    return state;
  }

  async function reply(node: number, kind: string, request: string, zone: string): Promise<string> {
    const said = { MapRequestId: request, UnaZoneId: zone };
    const response = await call(operator, node, 'POST', `/maprequest/${kind}`, said);
    expect(response.status).toBe(200);
    return (await json<{ State: string }>(response)).State;
  }

  /** Expects the state of the model on both nodes. */
  async function look({ reference, requests }: Model): Promise<void> {
    for (const node of [ 0, 1 ]) {
      const path = `/maprequest/mri?reference=${reference}&limit=100`;
      const page = await json<{ MapRequests: Listed[] }>(await call(builder, node, 'GET', path));
      const found = page.MapRequests.map(({ MapRequestId, Status, Unas }): unknown[] => [
        MapRequestId,
        Status,
        sorted(Unas.map(({ State, UnaZoneId }): [string, string] => [ UnaZoneId, State ])),
      ]);
      expect(found).toEqual(requests.map((request): unknown[] =>
        [ request.id, statusOf(request), sorted(request.states) ]).reverse());
    }
  }

  async function register(node: number, where: number, model: Model): Promise<void> {
    registered += 1;
    const mailbox = `zone-${registered}@pipes.example`;
    const settings = { Language: 'nl', ContactEmail: mailbox, Mails: { Confirm: true }};
    const body = { UnaId: unaId, Name: 'Zone', Settings: settings, Geometries: [ squareAt(model, where) ]};
    const { UnaZoneId: id } =
      await json<{ UnaZoneId: string }>(await call(operator, node, 'POST', '/unazone/registry', body));
    model.zones.push({ id, where, mailbox });
  }

  async function file(node: number, where: number, model: Model): Promise<void> {
    const response = await call(builder, node, 'POST', '/maprequest', {
      Reference: model.reference,
      StartDate: '2199-01-04',
      EndDate: '2199-01-05',
      NatureOfWorks: 'excavation',
      ContactInfo: { Name: 'Builder', Email: 'builder@example.org' },
      MapRequestZone: squareAt(model, where),
    });
    const { MapRequestId: id, Unas: unas } = await json<Listed>(response);
    const involved = model.zones.filter((zone): boolean => zone.where === where);
    const states = new Map(involved.map((zone): [string, string] => [ zone.id, 'ToConfirm' ]));
    expect(sorted(unas.map(({ State, UnaZoneId }): [string, string] => [ UnaZoneId, State ]))).toEqual(sorted(states));
    model.requests.push({ id, where, states });
    mails.push(...involved.map(({ mailbox }): Mailed => `${mailbox} ${id}`));
  }

  async function remove(node: number, zone: Model['zones'][number], model: Model): Promise<void> {
    const isUsed = model.requests.some(({ states }): boolean => openStates.has(states.get(zone.id)));
    expect((await call(operator, node, 'DELETE', `/unazone/${zone.id}`)).status).toBe(isUsed ? 409 : 204);
    if (!isUsed) {
      model.zones.splice(model.zones.indexOf(zone), 1);
      removed.add(zone.mailbox);
    }
  }

  /** Uploads at one node, and at the same moment uploads or refuses at the other: one of them wins. */
  async function duel(
    node: number,
    other: 'notinvolved' | 'upload',
    [ request, zone, bytes ]: [string, string, Buffer],
  ): Promise<string> {
    const [ status, rival ] = await Promise.all([
      upload(node, request, zone, bytes),
      other === 'upload' ? upload(1 - node, request, zone, bytes) : reply(1 - node, other, request, zone),
    ]);
    const wins = other === 'upload' ? [[ 202, 409 ], [ 409, 202 ]] : [[ 202, 'Invalid' ], [ 409, 'NotInvolved' ]];
    expect(wins).toContainEqual([ status, rival ]);
    if (rival === 'NotInvolved') {
      return rival;
    }
    await expect(validated(1 - node, request, zone)).resolves.toBe('Accepted');
    return 'Responded';
  }

  async function take({ change, node, where, which }: Step, model: Model): Promise<void> {
    const zone = model.zones.at(which % Math.max(1, model.zones.length));
    const request = model.requests.at(which % Math.max(1, model.requests.length));
    if (change === 'register') {
      await register(node, where, model);
    } else if (change === 'file') {
      await file(node, where, model);
    } else if (change === 'look') {
      await look(model);
    } else if (change === 'remove' && zone) {
      await remove(node, zone, model);
    } else if (change !== 'remove' && request && request.states.size > 0) {
      const ids = [ ...request.states.keys() ];
      const zoneId = ids[which % ids.length];
      request.states.set(zoneId, await answer({ change, node, which }, request, zoneId, model));
    }
  }

  /** Sends the response to a request, and returns the request's state afterwards. */
  async function answer(
    { change, node, which }: Pick<Step, 'node' | 'which'> & { change: Change },
    { id, states, where }: ModelRequest,
    zoneId: string,
    model: Model,
  ): Promise<string> {
    const state = states.get(zoneId)!;
    const isOpen = openStates.has(state);
    if (change === 'confirm' || change === 'decline') {
      const [ kind, next ] = change === 'confirm' ? [ 'confirmation', 'Confirmed' ] : [ 'notinvolved', 'NotInvolved' ];
      await expect(reply(node, kind, id, zoneId)).resolves.toBe(isOpen ? next : 'Invalid');
      return isOpen ? next : state;
    }
    // Some are elsewhere, and are rejected.
    const isNear = change === 'duel' || which < 4;
    const bytes = await packageAt(model, isNear ? where : where + 1);
    if (!isOpen) {
      await expect(upload(node, id, zoneId, bytes)).resolves.toBe(409);
      return state;
    }
    if (change === 'duel') {
      return duel(node, which % 2 === 0 ? 'upload' : 'notinvolved', [ id, zoneId, bytes ]);
    }
    await expect(upload(node, id, zoneId, bytes)).resolves.toBe(202);
    await expect(validated(1 - node, id, zoneId)).resolves.toBe(isNear ? 'Accepted' : 'Rejected');
    return isNear ? 'Responded' : 'Confirmed';
  }

  it('behave like the model, whichever process is asked, and run each job once.', async(): Promise<void> => {
    await assert(asyncProperty(array(step, { minLength: 12, maxLength: 24 }), async(steps): Promise<void> => {
      runs += 1;
      const model: Model = { x: 40_000 + (runs * 5000), reference: `Run-${runs}`, zones: [], requests: []};
      await register(0, 0, model);
      await file(1, 0, model);
      for (const each of steps) {
        await take(each, model);
      }
      await look(model);
    }), { numRuns: 5, endOnFailure: true });
    const { db } = await openDatabase(storage.place);
    const jobs = db.selectFrom('planJobs').select('id').where('kind', '!=', 'remind');
    await until(async(): Promise<boolean> => (await jobs.execute()).length === 0);
    const packages = await db.selectFrom('planPackages').select([ 'id', 'state' ]).execute();
    const verdicts = await db.selectFrom('auditRows').select('facts')
      .where('type', 'in', [ 'plan.package.accepted', 'plan.package.rejected' ])
      .execute();
    await db.destroy();
    const sent = smtp.mails.map(({ text, to }): Mailed =>
      `${to} ${/^Nummer van de planaanvraag: (?<id>\S+)/mu.exec(withoutSoftBreaks(text))!.groups!.id}`);
    expect(mails).toEqual(expect.arrayContaining(sent));
    expect(new Set(sent).size).toBe(sent.length);
    expect(sent).toEqual(expect.arrayContaining(mails.filter((mail): boolean => !removed.has(mail.split(' ')[0]))));
    expect(packages.map(({ state }): string => state)).toContain('Accepted');
    const validatedIds = verdicts.map(({ facts }): string => (JSON.parse(facts) as { package: string }).package);
    expect(validatedIds.sort()).toEqual(packages.map(({ id }): string => id).sort());
    expect([ ...announced ].filter(([ , times ]): boolean => times > 1)).toEqual([]);
  }, 300_000);
});
