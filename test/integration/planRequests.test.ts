import { spawnSync } from 'node:child_process';
import { createHash, randomUUID } from 'node:crypto';
import { readdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { verifyCredential } from '@digitalbazaar/vc';
import canonicalize from 'canonicalize';
import { fromBufferPromise } from 'yauzl';
import { createAccount, createPod } from '../../demo/lib/accounts';
import { openDatabase } from '../../src/storage/database/engine';
import type { BegunRequest } from '../support/beginRequest';
import { beginRequest } from '../support/beginRequest';
import { expectProblem } from '../support/callers';
import type { PlanCaller } from '../support/PlanWorld';
import { networkFiles, zip } from '../support/networkPackage';
import { PlanWorld, ringOf, square } from '../support/PlanWorld';
import { SolidApp } from '../support/SolidApp';
import { differences, readExamples, runExamples } from '../support/documentation';
import { openApiErrors } from '../support/openApiErrors';
import { fc } from '../support/properties';
import { answerJson } from '../support/loopback';
import { rawRequest } from '../support/rawRequest';
import { RecordService } from '../support/RecordService';
import { removeCredentials } from '../support/removeCredentials';
import type { SmtpServer } from '../support/SmtpServer';
import { startSmtpServer } from '../support/SmtpServer';
import { json } from '../support/sharingWorld';
import type { Document } from '../support/strangersLoader';
import { options } from '../support/strangersLoader';
import { accountWithPod, createClient, removeFolder, temporaryFolder } from '../support/world';

/** Ghent, about. */
const x = 104_000;
const y = 193_000;

/** A plan request as its initiator sees it. */
interface Filed {
  MapRequestId: string;
  Status: string;
  CompleteBefore: string;
  Unas: { UnaZoneId: string; State: string }[];
}

/** The same as an operator sees it. */
interface Received {
  UnaZones: { UnaZoneId: string; ConfirmBefore: string; AnswerBefore: string }[];
}

async function reply(caller: PlanCaller, kind: string, id: string, zone: string): Promise<unknown> {
  const response = await caller.call('POST', `/maprequest/${kind}`, { MapRequestId: id, UnaZoneId: zone });
  const { State: state } = await json<{ State: string }>(response);
  expect(response.status).toBe(200);
  return state;
}

/** A square as well-known text. */
function wktOf(left: number, bottom: number, side: number): string {
  return `POLYGON((${ringOf(left, bottom, side).map((position): string => position.join(' ')).join(',')}))`;
}

async function list(caller: PlanCaller, path: string): Promise<{ ids: string[]; NextOffset: number | null }> {
  const page = await json<{ MapRequests: { MapRequestId: string }[]; NextOffset: number | null }>(
    await caller.call('GET', `/maprequest/${path}`),
  );
  return { ids: page.MapRequests.map(({ MapRequestId: id }): string => id), NextOffset: page.NextOffset };
}

async function refused(response: Promise<Response>, status: number, type: string): Promise<void> {
  await expectProblem(await response, status, type);
}

describe('Plan requests', (): void => {
  const registry = new RecordService();
  let smtp: SmtpServer;
  let folder: string;
  let world: PlanWorld;
  let builder: PlanCaller;
  let operator: PlanCaller;
  let neighbour: PlanCaller;
  let reader: PlanCaller;
  let municipality: PlanCaller;

  beforeAll(async(): Promise<void> => {
    await registry.start();
    registry.answer = (response, { UnaZoneId }): void => answerJson(response, 200, { UnaZoneId });
    folder = await temporaryFolder();
    const planRegistry = join(folder, 'registry.json');
    process.env.TEST_ZONE_REGISTRY_SECRET = RecordService.clientSecret;
    const oauth =
      { issuer: registry.url, clientId: RecordService.clientId, clientSecretEnv: 'TEST_ZONE_REGISTRY_SECRET' };
    await writeFile(planRegistry, JSON.stringify({ endpoint: `${registry.url}/zones`, oauth }));
    smtp = await startSmtpServer();
    const planRequestsFormer = '/former/ws/v3,/ws/old/v3,https://old.example/ws/v3';
    world = await PlanWorld.start({ planRegistry, planRequestsFormer, smtp: `smtp://127.0.0.1:${smtp.port}` });
    [ builder, operator, neighbour, reader, municipality ] = await world.addOrganisations(
      [ 'MapRequestInitiator' ],
      [ 'UnaManager', 'UnaOperator' ],
      [ 'UnaManager', 'UnaOperator' ],
      [ 'UnaReader' ],
      [ 'PdaManager' ],
    );
  });

  afterAll(async(): Promise<void> => {
    delete process.env.TEST_ZONE_REGISTRY_SECRET;
    await Promise.all([ world?.stop(), registry.stop(), smtp?.stop(), removeFolder(folder) ]);
  });

  async function packageFiles(): Promise<string[]> {
    return readdir(join(world.folder, 'packages'));
  }

  async function addUna(caller: PlanCaller, name: string, more: object = {}): Promise<string> {
    const id = randomUUID();
    const body = { UnaId: id, Name: name, OrganisationId: caller.id, ...more };
    expect((await caller.call('POST', `/una/${id}`, body)).status).toBe(201);
    return id;
  }

  async function addZone(caller: PlanCaller, unaId: string, ...geometries: object[]): Promise<string> {
    const body = { UnaId: unaId, Name: 'Zone', Settings: { Language: 'nl' }, Geometries: geometries };
    const response = await caller.call('POST', '/unazone/registry', body);
    const { UnaZoneId: id } = await json<{ UnaZoneId: string }>(response);
    expect(response.status).toBe(201);
    expect(response.headers.get('location')).toBe(world.url(`/unazone/${id}`));
    return id;
  }

  async function overlay(zone: object): Promise<{ MapRequestId: string; Unas: { UnaId: string; Name: string }[] }> {
    const response = await builder.call('POST', '/maprequest/overlay', zone);
    expect(response.status).toBe(201);
    const found = await json<Awaited<ReturnType<typeof overlay>>>(response);
    expect(response.headers.get('location')).toBe(world.url(`/maprequest/overlay/${found.MapRequestId}`));
    return found;
  }

  describe('at their paths', (): void => {
    it('have an OpenAPI document and a page that describe them.', async(): Promise<void> => {
      const document = await json<{ info: { title: string }; paths: object }>(await fetch(world.url('/openapi.json')));
      expect(openApiErrors(document)).toBeNull();
      expect(document.info.title).toBe('Plan requests');
      expect(Object.keys(document.paths)).toEqual(expect.arrayContaining([
        '/ws/plans/v3/maprequest/overlay',
        '/ws/plans/v3/maprequest/overlay/{MapRequestId}',
        '/ws/plans/v3/una/{UnaId}',
        '/ws/plans/v3/una/getbyorganisation/{OrganisationId}',
        '/ws/plans/v3/unazone/registry',
        '/ws/plans/v3/unazone/{UnaZoneId}',
        '/ws/plans/v3/unazone/{UnaZoneId}/geometry',
        '/ws/plans/v3/unazone/{UnaZoneId}/geometry/{utilityNetworkAuthorityZoneGeometryId}',
        '/ws/plans/v3/unazone/{UnaZoneId}/settings',
        '/ws/plans/v3/pda',
        '/ws/plans/v3/pda/{pdaZoneId}',
        '/ws/plans/v3/pda/{pdaZoneId}/unazones',
        '/ws/plans/v3/imkl/maprequest/{MapRequestId}/unazone/{UnaZoneId}',
        '/ws/plans/v3/imkl/report/maprequest/{MapRequestId}/unazone/{UnaZoneId}',
        '/ws/plans/v3/imkl/test',
        '/ws/plans/v3/imkl/test/{TestId}',
        '/ws/plans/v3/imkl/maprequest/{MapRequestId}',
      ]));
      expect(Object.keys(document.paths).some((path): boolean => !path.startsWith('/ws/plans/v3/'))).toBe(false);
      const references = JSON.stringify(document).matchAll(/"\$ref":"#\/([^"]+)"/gu);
      for (const path of new Set([ ...references ].map(([ , reference ]): string => reference))) {
        expect(document).toHaveProperty(path.split('/'));
      }
      const page = await (await fetch(world.url('/docs'))).text();
      expect(page).toContain('data-document="/ws/plans/v3/openapi.json"');
    });

    it('are not part of the data-sharing interface, and leave other paths to the server.', async(): Promise<void> => {
      const document = await (await fetch(`${world.server.base}v1/openapi.json`)).text();
      expect(document).not.toContain('/ws/');
      expect((await fetch(`${world.server.base}ws/other/v3/una`)).headers.get('content-type'))
        .not.toContain('problem');
    });

    it('are no names of pods, which would stop the next start.', async(): Promise<void> => {
      const { base } = world.server;
      const account = await createAccount(base, { email: 'names@example.org', password: 'password of names' });
      for (const name of [ 'ws', 'former' ]) {
        await expect(createPod(account, name)).rejects.toThrow('409');
        expect((await fetch(`${base}${name}/profile/card`)).status).not.toBe(200);
      }
    });

    it.each([ 'v1', 'v2' ])('return 410 for %s, and name the current version.', async(version): Promise<void> => {
      for (const path of [ '', '/maprequest', '/maprequest/1?status=2' ]) {
        const response = await fetch(`${world.server.base}ws/plans/${version}${path}`, { method: 'POST' });
        const text = await response.clone().text();
        await expectProblem(response, 410, 'version-ended');
        expect(text).toContain('/ws/plans/v3');
      }
    });

    it('redirect from former paths to the same path under the current version.', async(): Promise<void> => {
      for (const former of [ 'former/ws/v3', 'ws/old/v3' ]) {
        for (const method of [ 'GET', 'POST', 'PUT', 'PATCH', 'DELETE' ]) {
          for (const rest of [ '', '/', '/maprequest/una?limit=2&reference=a%2Fb', '//evil.example/', '/pda/1' ]) {
            const response = await fetch(world.server.base + former + rest, {
              method,
              redirect: 'manual',
              body: method === 'POST' ? '{}' : undefined,
            });
            const location = world.url(rest.replace('//', '/'));
            expect([ response.status, response.headers.get('location') ]).toEqual([ 308, location ]);
          }
        }
      }
      const overlay = new URL('former/ws/v3/maprequest/overlay', world.server.base).href;
      const headers = { organisationId: builder.id, 'content-type': 'application/json' };
      const body = JSON.stringify(square(x, y, 10));
      // Without its token, which browsers and fetch keep on the same origin: the method and the body arrive.
      await expectProblem(await fetch(overlay, { method: 'POST', headers, body }), 401, 'token-missing');
      expect((await fetch(`${world.server.base}former/ws/v4`, { redirect: 'manual' })).status).not.toBe(308);
    });

    it('redirect from a former host, and take no other path there.', async(): Promise<void> => {
      for (const name of [ 'host', 'x-forwarded-host' ]) {
        const headers = { [name]: 'old.example' };
        const answer = await rawRequest(world.server.base, 'PUT', '/ws/v3/pda/1?srs=EPSG:3812', { headers });
        expect([ answer.status, answer.headers.get('location') ]).toEqual([ 308, world.url('/pda/1?srs=EPSG:3812') ]);
        expect((await rawRequest(world.server.base, 'GET', '/ws/v4/pda', { headers })).status).toBe(421);
      }
      expect((await rawRequest(world.server.base, 'GET', '/ws/v3/pda')).status).not.toBe(308);
    });

    it('have the usual problems of paths, methods and correlation ids.', async(): Promise<void> => {
      await expectProblem(await builder.call('GET', '/nothing'), 404, 'path-unknown');
      await expectProblem(await builder.call('PUT', '/maprequest/overlay'), 405, 'method-not-allowed');
      const headers = { 'x-correlation-id': 'none' };
      await expectProblem(await builder.call('GET', '/pda', undefined, headers), 400, 'correlation-id-invalid');
    });
  });

  it('have settings that a command checks, as the start does.', async(): Promise<void> => {
    const { JEST_WORKER_ID: _, ...env } = process.env;
    const root = join(__dirname, '../..');
    const configs = [ 'file.json', 'plan-requests.json' ].map((name): string => join(root, 'config', name));
    const documents = [ 'contracts', 'purposes', 'sources' ]
      .flatMap((name): string[] => [ `--${name}`, join(root, 'demo/data', name) ]);
    const args = [ join(root, 'bin/css-data-sharing.js'), 'check', '-c', ...configs, ...documents ];
    const wrong = spawnSync(process.execPath, [
      ...args,
      '--planRequests',
      'plans',
      '--organisations',
      join(folder, 'none.json'),
    ], { cwd: folder, env, encoding: 'utf8' });
    expect(wrong.stdout).toContain(`--organisations: ${join(folder, 'none.json')} cannot be read`);
    expect(wrong.stdout).toContain('Mistakes: 1 that prevent a start');
  });

  describe('accept callers', (): void => {
    it('with a token of an issuer that the settings name.', async(): Promise<void> => {
      await expectProblem(await fetch(world.url('/pda')), 401, 'token-missing');
    });

    it('who act for the organisation of the header.', async(): Promise<void> => {
      const path = `/una/getbyorganisation/${operator.id}`;
      await refused(operator.call('GET', path, undefined, { organisationId: '' }), 400, 'organisation-id-invalid');
      await refused(operator.call('GET', path, undefined, { organisationId: '17' }), 400, 'organisation-id-invalid');
      for (const organisationId of [ builder.id, randomUUID() ]) {
        await refused(operator.call('GET', path, undefined, { organisationId }), 403, 'organisation-not-yours');
      }
      expect((await operator.call('GET', path, undefined, { organisationId: operator.id.toUpperCase() })).status)
        .toBe(200);
    });

    it('whose organisation is the one that the token names.', async(): Promise<void> => {
      const path = `/una/getbyorganisation/${operator.id}`;
      const same = await world.caller(operator.id, { organisation_id: operator.id });
      expect((await same.call('GET', path)).status).toBe(200);
      const other = await world.caller(operator.id, { organisation_id: builder.id });
      await expectProblem(await other.call('GET', path), 403, 'organisation-not-yours');
    });

    it('whose organisation has a role, and whose scopes, if any, name it.', async(): Promise<void> => {
      await expectProblem(await operator.call('GET', '/pda'), 403, 'role-missing');
      for (const [ scope, status ] of [
        [ 'webid', 200 ],
        [ 'openid webid PdaManager', 200 ],
        [ 'PdaManager', 200 ],
        [ 'UtilityNetworkAuth', 403 ],
        [ 'MapRequestInitiator', 403 ],
      ] as const) {
        const response = await (await world.caller(municipality.id, { scope })).call('GET', '/pda');
        expect([ scope, response.status ]).toEqual([ scope, status ]);
      }
    });

    it('but not people who log in to an app of the organisation.', async(): Promise<void> => {
      const { base } = world.server;
      const stranger = await accountWithPod(base, 'stranger');
      const app = await SolidApp.register(base);
      const { client } = await app.logIn({ email: 'stranger@example.org', password: 'password of stranger' });
      const url = world.url(`/una/getbyorganisation/${operator.id}`);
      const headers = { organisationId: operator.id };
      await world.addClient(operator.id, app.clientId);
      await expectProblem(await client.request('GET', url, { headers }), 403, 'organisation-not-yours');
      // With client credentials, nobody else can get a token that names the client.
      await refused(stranger.client.request('GET', url, { headers }), 403, 'organisation-not-yours');
      await world.addClient(operator.id, stranger.credentials.id);
      expect((await stranger.client.request('GET', url, { headers })).status).toBe(200);
      await refused(client.request('GET', url, { headers }), 403, 'organisation-not-yours');
    });

    it('for every operation; read-only callers may change nothing.', async(): Promise<void> => {
      const { paths } = await json<{ paths: Record<string, Record<string, { security?: object[] }>> }>(
        await fetch(world.url('/openapi.json')),
      );
      const all = Object.entries(paths).flatMap(([ path, methods ]): [method: string, path: string][] =>
        Object.keys(methods).map((method): [string, string] =>
          [ method.toUpperCase(), path.slice('/ws/plans/v3'.length).replaceAll(/\{\w+\}/gu, randomUUID()) ]))
        .filter(([ method, path ]): boolean => method !== 'HEAD' && ![ '/openapi.json', '/docs' ].includes(path));
      expect(all.length).toBeGreaterThan(28);
      const [ outsider ] = await world.addOrganisations([ 'RegistryManager' ]);
      for (const [ method, path ] of all) {
        const body = method === 'GET' || method === 'DELETE' ? undefined : {};
        await refused(fetch(world.url(path), { method }), 401, 'token-missing');
        await refused(builder.call(method, path, body, { organisationId: '' }), 400, 'organisation-id-invalid');
        await refused(builder.call(method, path, body, { organisationId: operator.id }), 403, 'organisation-not-yours');
        const { status } = await reader.call(method, path, body);
        expect([ method, path, method === 'GET' || status === 403 ]).toEqual([ method, path, true ]);
        const isOpen = path.startsWith('/una/') && method === 'GET';
        const response = await outsider.call(method, path, body);
        expect([ method, path, response.status === 403 ]).toEqual([ method, path, !isOpen ]);
      }
    });

    it('before reading any of the body.', async(): Promise<void> => {
      await expectProblem(await reader.call('POST', '/maprequest/overlay', 'no JSON'), 403, 'role-missing');
      await expectProblem(await reader.call('POST', `/una/${randomUUID()}`, '{'), 403, 'role-missing');
    });
  });

  describe('let an organisation manage its network operators', (): void => {
    it('by creating, replacing and reading them.', async(): Promise<void> => {
      const id = randomUUID();
      const body = { UnaId: id, Name: 'Water', OrganisationId: operator.id };
      const path = `/una/${id}`;
      expect((await operator.call('POST', path, body)).status).toBe(201);
      const changed = { ...body, Name: 'Fresh water', IsKlim: true, SigningCertificateSubject: 'CN=Water' };
      expect((await operator.call('POST', path, changed)).status).toBe(200);
      await expect(json(await builder.call('GET', path))).resolves.toEqual(changed);
      await expect(json(await reader.call('GET', `/una/getbyorganisation/${operator.id}`)))
        .resolves.toContainEqual(changed);
    });

    it('whose names and certificates are one line of text.', async(): Promise<void> => {
      const id = randomUUID();
      const body = { UnaId: id, Name: 'Water', OrganisationId: operator.id };
      const wrong = [{ Name: 'Wa\u0000ter' }, { Name: 'Water\nGas' }, { SigningCertificateSubject: 'CN=\u0000' }];
      for (const change of wrong) {
        await refused(operator.call('POST', `/una/${id}`, { ...body, ...change }), 400, 'body-invalid');
      }
      await refused(operator.call('GET', `/una/${id}`), 404, 'una-not-found');
    });

    it('but not those of others.', async(): Promise<void> => {
      const id = await addUna(operator, 'Gas');
      const body = { UnaId: id, Name: 'Stolen', OrganisationId: neighbour.id };
      await expectProblem(await neighbour.call('POST', `/una/${id}`, body), 403, 'not-of-organisation');
      const own = { ...body, OrganisationId: operator.id };
      await refused(neighbour.call('POST', `/una/${id}`, own), 403, 'not-of-organisation');
      await refused(operator.call('POST', `/una/${randomUUID()}`, own), 400, 'id-mismatch');
      await expectProblem(await operator.call('GET', `/una/${randomUUID()}`), 404, 'una-not-found');
      await expectProblem(await operator.call('GET', '/una/17'), 400, 'parameter-invalid');
      await expect(json(await operator.call('GET', `/una/${id}`))).resolves.toMatchObject({ Name: 'Gas' });
    });
  });

  describe('find the operators in a zone', (): void => {
    it('by geometries that are added and removed, in both coordinate systems.', async(): Promise<void> => {
      const una = await addUna(operator, 'Electricity', { IsKlim: true });
      const zone = await addZone(operator, una, square(x, y, 1000));
      const found = { UnaId: una, Name: 'Electricity', UnaZoneIds: [ zone ], IsKlim: true };
      const first = await overlay(square(x + 900, y + 900, 200));
      expect(first).toEqual({
        MapRequestId: expect.any(String),
        Status: 'Completed',
        CreatedOn: expect.stringMatching(/Z$/u),
        Unas: [ found ],
      });
      await expect(json(await builder.call('GET', `/maprequest/overlay/${first.MapRequestId}`)))
        .resolves.toEqual(first);
      await expectProblem(await reader.call('GET', `/maprequest/overlay/${first.MapRequestId}`), 403, 'role-missing');
      // The same place in the other system.
      const wkt = 'POLYGON((604090 693100,604290 693100,604290 693300,604090 693300,604090 693100))';
      expect((await overlay({ Srs: 'EPSG:3812', Wkt: wkt })).Unas).toEqual([ found ]);
      expect((await overlay(square(x + 5000, y, 200))).Unas).toEqual([]);
      const response = await operator.call('POST', `/unazone/${zone}/geometry`, square(x + 5000, y, 1000));
      const { UtilityNetworkAuthorityZoneGeometryId: id } =
        await json<{ UtilityNetworkAuthorityZoneGeometryId: string }>(response);
      expect(response.headers.get('location')).toBe(world.url(`/unazone/${zone}/geometry/${id}`));
      expect((await overlay(square(x + 5000, y, 200))).Unas).toEqual([ found ]);
      expect((await operator.call('DELETE', `/unazone/${zone}/geometry/${id}`)).status).toBe(204);
      expect((await overlay(square(x + 5000, y, 200))).Unas).toEqual([]);
      await refused(operator.call('DELETE', `/unazone/${zone}/geometry/${id}`), 404, 'zone-geometry-not-found');
      expect((await operator.call('DELETE', `/unazone/${zone}`)).status).toBe(204);
      expect((await overlay(square(x + 900, y + 900, 200))).Unas).toEqual([]);
      await expectProblem(await operator.call('GET', `/unazone/${zone}`), 404, 'una-zone-not-found');
    });

    it('but not through overlays that are others\' or do not exist.', async(): Promise<void> => {
      const { MapRequestId: id } = await overlay(square(x, y + 9000, 10));
      const [ other ] = await world.addOrganisations([ 'MapRequestInitiator' ]);
      await expectProblem(await other.call('GET', `/maprequest/overlay/${id}`), 404, 'map-request-not-found');
      await refused(builder.call('GET', `/maprequest/overlay/${randomUUID()}`), 404, 'map-request-not-found');
    });

    it('for 30 days.', async(): Promise<void> => {
      const { MapRequestId: id } = await overlay(square(x, y + 9000, 10));
      const { db } = await openDatabase(world.server.stored.place);
      await db.updateTable('planOverlays').set({ createdAt: Date.now() - (30 * 86_400_000) - 1000 })
        .where('id', '=', id)
        .execute();
      await db.destroy();
      await expectProblem(await builder.call('GET', `/maprequest/overlay/${id}`), 404, 'map-request-not-found');
    });

    it('only with a perimeter below 100,000 m.', async(): Promise<void> => {
      expect((await builder.call('POST', '/maprequest/overlay', square(50_000, 160_000, 24_999.975))).status).toBe(201);
      const tooLong = square(50_000, 160_000, 25_000);
      await refused(builder.call('POST', '/maprequest/overlay', tooLong), 400, 'perimeter-too-long');
    });

    it('whichever way its rings run.', async(): Promise<void> => {
      const una = await addUna(operator, 'Steam');
      const zone = await addZone(operator, una, square(x, y + 30_000, 100));
      const [ a, b, c, d ] = ringOf(x + 20, y + 30_020, 60);
      const clockwise = { Geometry: { type: 'Polygon', coordinates: [[ a, d, c, b, a ]]}};
      const found = [{ UnaId: una, Name: 'Steam', UnaZoneIds: [ zone ], IsKlim: false }];
      expect((await overlay(clockwise)).Unas).toEqual(found);
      const ring = [ a, d, c, b, a ].map(([ east, north ]): string => `${east}.0\t${north}.`).join(' ,\n');
      expect((await overlay({ Wkt: `\nPolygon (\n(${ring}))\n` })).Unas).toEqual(found);
      const other = '((1.2E5 2.3E5,121E3 +230000,1.21e5 231000,1.2E5 2.3E5))';
      expect((await overlay({ Wkt: `MULTIPOLYGON(${other},((${ring})))` })).Unas).toEqual(found);
      // Returned as given.
      const town = { Name: 'Town', Zone: clockwise };
      const { PdaZoneId: id, Zone: shown } = await json<{ PdaZoneId: string; Zone: object }>(
        await municipality.call('POST', '/pda', town),
      );
      expect(shown).toEqual({ Srs: 'EPSG:31370', ...clockwise });
      expect((await municipality.call('DELETE', `/pda/${id}`)).status).toBe(204);
      expect((await operator.call('DELETE', `/unazone/${zone}`)).status).toBe(204);
    });

    it('and store nothing of invalid zones.', async(): Promise<void> => {
      const [ a, b, c, d ] = ringOf(x, y, 100);
      const wrong: [object, string][] = [
        [{}, 'zone-malformed' ],
        [{ ...square(x, y, 9), Wkt: 'POLYGON((1 1))' }, 'zone-malformed' ],
        [{ Wkt: 'POLYGON((NaN 1,2 2,3 3,NaN 1))' }, 'zone-malformed' ],
        [{ Geometry: { type: 'Point', coordinates: a }}, 'zone-malformed' ],
        [{ Geometry: { type: 'Polygon', coordinates: [[ a, b, c, d ]]}}, 'ring-not-closed' ],
        [{ Geometry: { type: 'Polygon', coordinates: [[ a, b, a ]]}}, 'ring-too-short' ],
        [{ Geometry: { type: 'Polygon', coordinates: [[ a, c, b, d, a ]]}}, 'ring-crossed' ],
        [{ Geometry: { type: 'Polygon', coordinates: [[[ ...a, 1 ], b, c, d, [ ...a, 1 ]]]}}, 'third-coordinate' ],
        [{ Wkt: `${wktOf(x, y, 9)}, ${wktOf(x + 100, y, 9)}` }, 'zone-malformed' ],
        [{ Wkt: wktOf(x, y, 9).replaceAll('193000', '193000m') }, 'zone-malformed' ],
        [{ Wkt: 'POLYGON((1 1 1,2 1 1,2 2 1,1 1 1))' }, 'zone-malformed' ],
        [{ Wkt: 'MULTIPOLYGON((1 1,2 1,2 2,1 1))' }, 'zone-malformed' ],
        [{ Wkt: 'POLYGON EMPTY' }, 'zone-malformed' ],
        [{ Wkt: 'POLYGON Z ((1 1 1,2 1 1,2 2 1,1 1 1))' }, 'third-coordinate' ],
        [ square(4.3, 50.8, 0.1), 'coordinates-in-degrees' ],
        [{ Srs: 'EPSG:3812', ...square(x, y, 100) }, 'coordinates-of-other-system' ],
        [ square(1_500_000, 1_500_000, 100), 'coordinates-implausible' ],
        [{ Geometry: { type: 'Polygon', coordinates: [
          ringOf(x, y, 100),
          ringOf(x + 200, y, 10).reverse(),
        ]}}, 'hole-outside' ],
        [{ Geometry: { type: 'Polygon', coordinates: [
          [ ...Array.from({ length: 10_000 }, (_, at): number[] => [ x + at, y ]), [ x, y ]],
        ]}}, 'too-many-positions' ],
        [{ Srs: 'EPSG:4326', ...square(x, y, 100) }, 'body-invalid' ],
      ];
      const before = await count('planOverlays');
      for (const [ zone, problem ] of wrong) {
        await expectProblem(await builder.call('POST', '/maprequest/overlay', zone), 400, problem);
      }
      const text = '{"Geometry":{"type":"Polygon","coordinates":[[[1e999,1],[2,2],[3,3],[1,1]]]}}';
      const headers = { 'content-type': 'application/json' };
      await refused(builder.call('POST', '/maprequest/overlay', text, headers), 400, 'zone-malformed');
      await expect(count('planOverlays')).resolves.toBe(before);
    });
  });

  describe('keep the zones of an operator', (): void => {
    it('with settings that the operator can change.', async(): Promise<void> => {
      const zone = await addZone(operator, await addUna(operator, 'Telecom'), square(x, y - 20_000, 100));
      const settings = {
        ContactEmail: 'plans@telecom.example',
        Phone: '+32 9/123.45 67',
        Language: 'fr',
        Mails: { Reminder: true, Confirm: false },
      };
      expect((await operator.call('PUT', `/unazone/${zone}/settings`, settings)).status).toBe(200);
      await expect(json(await operator.call('GET', `/unazone/${zone}`))).resolves.toMatchObject({ Settings: settings });
      for (const [ change, problem ] of [
        [{ Phone: '+32 9 CALL US' }, 'phone-invalid' ],
        [{ Phone: '+' }, 'phone-invalid' ],
        [{ Language: 'es' }, 'body-invalid' ],
        [{ ContactEmail: 'nobody' }, 'body-invalid' ],
        [{ Mails: { Reminder: 'yes' }}, 'body-invalid' ],
        [{ Fax: '1' }, 'body-invalid' ],
      ] as const) {
        const body = { ...settings, ...change };
        await expectProblem(await operator.call('PUT', `/unazone/${zone}/settings`, body), 400, problem);
      }
      await expect(json(await operator.call('GET', `/unazone/${zone}`))).resolves.toMatchObject({ Settings: settings });
    });

    it('safe from others, and from read-only callers.', async(): Promise<void> => {
      const una = await addUna(operator, 'Sewers');
      const zone = await addZone(operator, una, square(x, y - 20_000, 100));
      const settings = { Language: 'nl' };
      for (const [ method, path, body ] of [
        [ 'PUT', `/unazone/${zone}/settings`, settings ],
        [ 'POST', `/unazone/${zone}/geometry`, square(x, y, 1) ],
        [ 'DELETE', `/unazone/${zone}/geometry/${randomUUID()}` ],
        [ 'DELETE', `/unazone/${zone}` ],
        [ 'POST', '/unazone/registry', { UnaId: una, Name: 'Z', Settings: settings, Geometries: [ square(x, y, 1) ]}],
      ] as const) {
        await expectProblem(await neighbour.call(method, path, body), 403, 'not-of-organisation');
        await expectProblem(await reader.call(method, path, body), 403, 'role-missing');
      }
      expect((await operator.call('GET', `/unazone/${zone}`)).status).toBe(200);
    });

    it('which can register again under the same id, and are announced to the registry.', async(): Promise<void> => {
      const una = await addUna(operator, 'Heat');
      const zone = await addZone(operator, una, square(x, y - 30_000, 100));
      const body = {
        UnaZoneId: zone,
        UnaId: una,
        Name: 'Larger',
        Settings: { Language: 'nl' },
        Geometries: [ square(x + 500, y - 30_000, 100) ],
      };
      await expect(json(await operator.call('POST', '/unazone/registry', body)))
        .resolves.toMatchObject({ UnaZoneId: zone, Name: 'Larger', RegistryState: 'Registering' });
      expect((await overlay(square(x, y - 30_000, 10))).Unas).toEqual([]);
      expect((await overlay(square(x + 500, y - 30_000, 10))).Unas).toMatchObject([{ UnaId: una }]);
      let state: string | undefined;
      while (state !== 'Registered') {
        ({ RegistryState: state } = await json<{ RegistryState: string }>(
          await operator.call('GET', `/unazone/${zone}`),
        ));
        expect(state).not.toBe('RegistrationFailed');
      }
      expect(registry.asked.findLast(({ body }): boolean => body.UnaZoneId === zone)).toMatchObject({
        path: '/zones/unazone',
        body: { Name: 'Larger', Geometries: [ body.Geometries[0] ]},
      });
    });
  });

  describe('show a municipality', (): void => {
    it('zones with ids of its own.', async(): Promise<void> => {
      const id = randomUUID();
      const body = { PdaZoneId: id.toUpperCase(), Name: 'Harbour', Zone: square(x + 80_000, y, 500) };
      const made = await municipality.call('POST', '/pda', { ...body, OrganisationId: municipality.id });
      await expect(made.json()).resolves.toMatchObject({ PdaZoneId: id, Name: 'Harbour' });
      expect(made.status).toBe(201);
      const [ other ] = await world.addOrganisations([ 'PdaManager' ]);
      await refused(other.call('POST', '/pda', body), 403, 'not-of-organisation');
      expect(made.headers.get('location')).toBe(world.url(`/pda/${id}`));
      const again = await municipality.call('POST', '/pda', { ...body, Name: 'Port' });
      await expect(again.json()).resolves.toMatchObject({ PdaZoneId: id, Name: 'Port' });
      expect(again.status).toBe(200);
      await expect(json(await municipality.call('GET', `/pda/${id}/unazones`))).resolves.toEqual([]);
      expect((await municipality.call('DELETE', `/pda/${id}`)).status).toBe(204);
      await refused(municipality.call('PUT', `/pda/${id}`, body), 404, 'pda-zone-not-found');
    });

    it('its zones, which it can change, and the operators in them.', async(): Promise<void> => {
      const una = await addUna(operator, 'Lights');
      const zone = await addZone(operator, una, square(x + 40_000, y, 100));
      const response = await municipality.call('POST', '/pda', { Name: 'Town', Zone: square(x + 40_050, y, 500) });
      const town = await json<{ PdaZoneId: string }>(response);
      expect(response.status).toBe(201);
      expect(response.headers.get('location')).toBe(world.url(`/pda/${town.PdaZoneId}`));
      expect(town).toEqual({
        PdaZoneId: expect.any(String),
        Name: 'Town',
        OrganisationId: municipality.id,
        Zone: { Srs: 'EPSG:31370', ...square(x + 40_050, y, 500) },
      });
      const path = `/pda/${town.PdaZoneId}`;
      await expect(json(await municipality.call('GET', '/pda'))).resolves.toEqual([ town ]);
      await expect(json(await municipality.call('GET', `${path}/unazones`)))
        .resolves.toEqual([{ UnaId: una, Name: 'Lights', UnaZoneIds: [ zone ], IsKlim: false }]);
      const [{ Zone: moved }] = await json<{ Zone: { Srs: string; Geometry: { coordinates: number[][][] }}}[]>(
        await municipality.call('GET', '/pda?srs=EPSG:3812'),
      );
      expect(moved.Srs).toBe('EPSG:3812');
      // EPSG:3812 is about 500 km north-east of EPSG:31370 by its numbers.
      expect(Math.hypot(moved.Geometry.coordinates[0][0][0] - x - 540_050, moved.Geometry.coordinates[0][0][1] - y -
      500_000)).toBeLessThan(200);
      const elsewhere = { Name: 'Town', Zone: square(x + 60_000, y, 500) };
      await expect(json(await municipality.call('PUT', `${path}?srs=EPSG:3812`, elsewhere)))
        .resolves.toMatchObject({ Zone: { Srs: 'EPSG:3812' }});
      const { PdaZoneId: more, Zone: shown } = await json<{ PdaZoneId: string; Zone: object }>(
        await municipality.call('POST', '/pda?srs=EPSG:3812', elsewhere),
      );
      expect(shown).toMatchObject({ Srs: 'EPSG:3812' });
      expect((await municipality.call('DELETE', `/pda/${more}`)).status).toBe(204);
      await expect(json(await municipality.call('GET', `${path}/unazones`))).resolves.toEqual([]);
      const [ other ] = await world.addOrganisations([ 'PdaManager' ]);
      await expectProblem(await other.call('PUT', path, elsewhere), 403, 'not-of-organisation');
      await expectProblem(await other.call('GET', `${path}/unazones`), 403, 'not-of-organisation');
      await expectProblem(await other.call('DELETE', path), 403, 'not-of-organisation');
      expect((await municipality.call('DELETE', path)).status).toBe(204);
      await expectProblem(await municipality.call('DELETE', path), 404, 'pda-zone-not-found');
      await expect(json(await municipality.call('GET', '/pda'))).resolves.toEqual([]);
    });
  });

  describe('are filed', (): void => {
    const near = x - 30_000;

    function request(more: object = {}): object {
      return {
        Reference: 'Street 12',
        Location: 'Street 12, Town',
        StartDate: '2199-01-04',
        EndDate: '2199-01-05',
        NatureOfWorks: 'excavation',
        Depth: 1.5,
        Tags: [ 'urgent' ],
        ContactInfo: { Name: 'Builder', Email: 'builder@example.org', Phone: '+32 9 123 45 67' },
        MapRequestZone: square(near, y, 50),
        ...more,
      };
    }

    async function file(more: object = {}): Promise<Filed> {
      const response = await builder.call('POST', '/maprequest', request(more));
      const filed = await json<Filed>(response);
      expect(response.status).toBe(201);
      expect(response.headers.get('location')).toBe(world.url(`/maprequest/${filed.MapRequestId}/mri`));
      return filed;
    }

    it('and sent to every operator whose zone they intersect, which answers once.', async(): Promise<void> => {
      const zone = await addZone(operator, await addUna(operator, 'Pipes'), square(near - 10, y, 50));
      const other = await addZone(neighbour, await addUna(neighbour, 'Wires', { IsKlim: true }), square(near, y, 50));
      const filed = await file();
      const path = `/maprequest/${filed.MapRequestId}`;
      expect(filed).toMatchObject({ ...request(), MapRequestZone: { Srs: 'EPSG:31370' }, Status: 'Waiting' });
      expect(new Map(filed.Unas.map(({ State, UnaZoneId }): [string, string] => [ UnaZoneId, State ])))
        .toEqual(new Map([[ zone, 'ToConfirm' ], [ other, 'ToConfirm' ]]));
      const [ own, longer ] = await Promise.all([ operator, neighbour ].map(async(caller): Promise<Received> =>
        json<Received>(await caller.call('GET', `${path}/una`))));
      expect(own.UnaZones).toEqual([ expect.objectContaining({ UnaZoneId: zone, State: 'ToConfirm' }) ]);
      const [{ AnswerBefore: soon, ConfirmBefore: first }] = own.UnaZones;
      const [{ AnswerBefore: late }] = longer.UnaZones;
      expect([ first, soon, late ].sort()).toEqual([ first, soon, late ]);
      expect(filed.CompleteBefore).toBe(late);
      await expect(reply(operator, 'confirmation', filed.MapRequestId, zone)).resolves.toBe('Confirmed');
      await expect(reply(operator, 'confirmation', filed.MapRequestId, zone)).resolves.toBe('Confirmed');
      await refused(operator.call('DELETE', `/unazone/${zone}`), 409, 'zone-in-use');
      await expect(reply(operator, 'notinvolved', filed.MapRequestId, zone)).resolves.toBe('NotInvolved');
      await expect(reply(operator, 'notinvolved', filed.MapRequestId, zone)).resolves.toBe('Invalid');
      await expect(reply(operator, 'confirmation', filed.MapRequestId, zone)).resolves.toBe('Invalid');
      await expect(json(await builder.call('GET', `${path}/mri`))).resolves.toMatchObject({ Status: 'Waiting' });
      await expect(reply(neighbour, 'notinvolved', filed.MapRequestId, other)).resolves.toBe('NotInvolved');
      await expect(json(await builder.call('GET', `${path}/mri`)))
        .resolves.toMatchObject({ Status: 'NoNetworksInZone' });
      expect((await operator.call('DELETE', `/unazone/${zone}`)).status).toBe(204);
      await expect(json(await operator.call('GET', `${path}/una`)))
        .resolves.toMatchObject({ UnaZones: [{ State: 'NotInvolved' }]});
    });

    it('with times in place of dates, a depth in words, and any parts of an address.', async(): Promise<void> => {
      const Address = { Street: 'Street', Number: 12, Box: '', Country: null };
      const given = {
        StartDate: '2199-01-04T23:30:00Z',
        EndDate: '2199-01-05',
        Depth: '0.5 to 2 m',
        ContactInfo: { Name: 'Builder', Email: 'builder@example.org', Address },
        MapRequestZone: square(x, y - 60_000, 5),
      };
      const { MapRequestId: id, ...filed } = await file(given);
      expect(filed).toMatchObject({ ...given, MapRequestZone: {}});
      await expect(json(await builder.call('GET', `/maprequest/${id}/mri`))).resolves.toMatchObject(filed);
      for (const StartDate of [ '2199-01-05T00:30:00+01:00', '2199-01-05 00:30:00+01:00', '2199-01-04 23:30:00Z' ]) {
        await expect(file({ ...given, StartDate })).resolves.toMatchObject({ StartDate: '2199-01-04T23:30:00.000Z' });
      }
      const ended = request({ ...given, EndDate: '2199-01-04' });
      await refused(builder.call('POST', '/maprequest', ended), 400, 'period-invalid');
    });

    it('and announced to operators by mail, and as events for their WebIDs.', async(): Promise<void> => {
      const at = square(near, y + 16_000, 50);
      const zone = await addZone(operator, await addUna(operator, 'Pipes'), at);
      const settings = { Language: 'fr', ContactEmail: 'plans@pipes.example', Mails: { Confirm: true }};
      expect((await operator.call('PUT', `/unazone/${zone}/settings`, settings)).status).toBe(200);
      const { MapRequestId: id } = await file({ MapRequestZone: at });
      await smtp.arrived(1);
      expect(smtp.mails).toEqual([ expect.objectContaining({ to: 'plans@pipes.example' }) ]);
      expect(smtp.mails[0].text).toContain('<html lang=3D"fr">');
      const { db } = await openDatabase(world.server.stored.place);
      const events = await db.selectFrom('events').select([ 'dataUser', 'type', 'data' ])
        .where('data', 'like', `%${id}%`)
        .execute();
      await db.destroy();
      expect(events).toEqual([{
        dataUser: `https://${operator.id}.example/id`,
        type: 'PlanRequestReceived',
        data: JSON.stringify({ planRequest: world.url(`/maprequest/${id}/una`) }),
      }]);
    });

    it('as the documentation shows.', async(): Promise<void> => {
      const [ user, company ] = await world
        .addOrganisations([ 'MapRequestInitiator' ], [ 'UnaManager', 'UnaOperator' ]);
      const zone = await addZone(company, await addUna(company, 'Cable company'), square(104_600, 193_700, 100));
      await writeFile(join(folder, 'network.zip'), await zip(networkFiles()));
      const page = 'docs/api/plan-requests.md';
      const examples = readExamples(join(__dirname, '../..', page), page);
      const { complaints, runs } = runExamples(examples, folder, { 'http://localhost:3000/': world.server.base }, {
        BUILDER: user.token,
        BUILDER_ID: user.id,
        OPERATOR: company.token,
        OPERATOR_ID: company.id,
        ZONE: zone,
      });
      expect(complaints).toBe('');
      expect(examples.map((example, at): string[] => differences(example, runs[at]))).toEqual([[], [], [], []]);
    });

    it('and hidden from everybody else, and once they are archived.', async(): Promise<void> => {
      const zone = await addZone(operator, await addUna(operator, 'Pipes'), square(near, y, 50));
      const { MapRequestId: id } = await file();
      const [ other ] = await world.addOrganisations([ 'MapRequestInitiator', 'UnaOperator' ]);
      await refused(other.call('GET', `/maprequest/${id}/mri`), 404, 'map-request-not-found');
      await refused(other.call('GET', `/maprequest/${id}/una`), 404, 'map-request-not-found');
      const said = { MapRequestId: id, UnaZoneId: zone };
      await refused(other.call('POST', '/maprequest/confirmation', said), 403, 'not-of-organisation');
      await refused(reader.call('POST', '/maprequest/confirmation', said), 403, 'role-missing');
      const nowhere = { ...said, UnaZoneId: randomUUID() };
      await refused(operator.call('POST', '/maprequest/confirmation', nowhere), 404, 'map-request-not-found');
      const { db } = await openDatabase(world.server.stored.place);
      await db.updateTable('planRequests').set({ archivedAt: Date.now() }).where('id', '=', id).execute();
      await db.destroy();
      await refused(builder.call('GET', `/maprequest/${id}/mri`), 404, 'map-request-not-found');
      await refused(operator.call('GET', `/maprequest/${id}/una`), 404, 'map-request-not-found');
      await refused(operator.call('POST', '/maprequest/confirmation', said), 404, 'map-request-not-found');
    });

    it('and reach the end of their term when nobody answers.', async(): Promise<void> => {
      const { MapRequestId: id, Status } = await file();
      expect(Status).toBe('Waiting');
      const { db } = await openDatabase(world.server.stored.place);
      await db.updateTable('planRequests').set({ packageBy: Date.now() }).where('id', '=', id).execute();
      await db.destroy();
      await expect(json(await builder.call('GET', `/maprequest/${id}/mri`)))
        .resolves.toMatchObject({ Status: 'TermElapsed' });
      await expect(file({ MapRequestZone: square(x, y - 60_000, 5) }))
        .resolves.toMatchObject({ Status: 'NoUnaInvolved', Unas: []});
      await expect(json(await builder.call('POST', '/maprequest?srs=EPSG:3812', request())))
        .resolves.toMatchObject({ MapRequestZone: { Srs: 'EPSG:3812' }});
    });

    it('and listed in pages, for those they concern.', async(): Promise<void> => {
      const zone = await addZone(operator, await addUna(operator, 'Pipes'), square(near, y - 5000, 50));
      const before = new Date(Date.now() - 1).toISOString();
      const ids: string[] = [];
      for (let at = 0; at < 3; at += 1) {
        ids.unshift((await file({ Reference: `List ${at}`, MapRequestZone: square(near, y - 5000, 5) })).MapRequestId);
      }
      const first = await list(builder, `mri?receivedAfter=${before}&limit=2`);
      expect([ first.ids, first.NextOffset ]).toEqual([ ids.slice(0, 2), 2 ]);
      const rest = await list(builder, `mri?receivedAfter=${before}&limit=2&offset=2`);
      expect([ rest.ids, rest.NextOffset ]).toEqual([ ids.slice(2), null ]);
      expect((await list(builder, 'mri?reference=List%201')).ids).toEqual([ ids[1] ]);
      expect((await list(operator, `una?unaZoneId=${zone}`)).ids).toEqual(ids);
      await reply(operator, 'notinvolved', ids[1], zone);
      expect((await list(operator, `una?unaZoneId=${zone}&unaStatus=NotInvolved`)).ids).toEqual([ ids[1] ]);
      expect((await list(operator, `una?unaZoneId=${zone}&closed=false`)).ids).toEqual([ ids[0], ids[2] ]);
      expect((await list(builder, `mri?receivedAfter=${before}&closed=true`)).ids).toEqual([ ids[1] ]);
      await refused(reader.call('GET', '/maprequest/una?limit=101'), 400, 'parameter-invalid');
      for (const time of [ '2026-12-31T23:59:60Z', '2026-01-01T00:00:00%2B01' ]) {
        await refused(builder.call('GET', `/maprequest/mri?receivedAfter=${time}`), 400, 'parameter-invalid');
        await refused(municipality.call('GET', `/pda/maprequests/search?from=${time}`), 400, 'parameter-invalid');
      }
    });

    it('and visible to the municipality whose zone they intersect, without the answers.', async(): Promise<void> => {
      const far = square(near, y - 12_000, 50);
      const [ town, village ] = await world.addOrganisations([ 'PdaManager' ], [ 'PdaManager' ]);
      for (const name of [ 'Town', 'Part of the town' ]) {
        const response = await town.call('POST', '/pda', { Name: name, Zone: square(near + 40, y - 12_000, 900) });
        expect(response.status).toBe(201);
      }
      const una = await addUna(operator, 'Pipes');
      const zone = await addZone(operator, una, far);
      const before = new Date(Date.now() - 1).toISOString();
      const { MapRequestId: id } = await file({ MapRequestZone: far });
      const { MapRequestId: later } = await file({ MapRequestZone: far });
      await file({ MapRequestZone: square(near - 9000, y - 12_000, 5) });
      await reply(operator, 'notinvolved', later, zone);
      const path = '/pda/maprequests/search';
      async function search(query = ''): Promise<string[]> {
        const page = await json<{ MapRequests: { MapRequestId: string }[] }>(await town.call('GET', path + query));
        return page.MapRequests.map(({ MapRequestId: found }): string => found);
      }
      await expect(search()).resolves.toEqual([ later, id ]);
      await expect(search(`?from=${before}&status=Waiting`)).resolves.toEqual([ id ]);
      await expect(search('?status=NoNetworksInZone')).resolves.toEqual([ later ]);
      await expect(search('?status=PlansAvailable')).resolves.toEqual([]);
      await expect(search(`?to=${before}`)).resolves.toEqual([]);
      await expect(search('?limit=1&offset=1')).resolves.toEqual([ id ]);
      const seen = await json(await town.call('GET', `/pda/maprequests/${later}`));
      expect(seen).toMatchObject({
        ...request({ MapRequestZone: { Srs: 'EPSG:31370', ...far }}),
        Status: 'NoNetworksInZone',
        Unas: [{ UnaId: una, Name: 'Pipes', UnaZoneId: zone }],
      });
      expect(JSON.stringify(seen)).not.toContain('NotInvolved');
      await refused(town.call('GET', `${path}?limit=101`), 400, 'parameter-invalid');
      await refused(town.call('GET', `${path}?status=Open`), 400, 'parameter-invalid');
      await expect(json(await village.call('GET', path))).resolves.toEqual({ MapRequests: [], NextOffset: null });
      await refused(village.call('GET', `/pda/maprequests/${id}`), 404, 'map-request-not-found');
      await refused(builder.call('GET', path), 403, 'role-missing');
      const { db } = await openDatabase(world.server.stored.place);
      await db.updateTable('planRequests').set({ packageBy: Date.now() }).where('id', '=', id).execute();
      await db.updateTable('planRequestPdas').set({ packageBy: Date.now() }).where('requestId', '=', id).execute();
      await expect(search('?status=TermElapsed')).resolves.toEqual([ id ]);
      for (const table of [ 'planRequests', 'planRequestPdas' ] as const) {
        const key = table === 'planRequests' ? 'id' : 'requestId';
        await db.updateTable(table).set({ archivedAt: Date.now() }).where(key, '=', id).execute();
      }
      await db.destroy();
      await expect(search()).resolves.toEqual([ later ]);
      await refused(town.call('GET', `/pda/maprequests/${id}`), 404, 'map-request-not-found');
    });

    describe('and answered with packages', (): void => {
      const type = { 'content-type': 'application/zip' };
      const at = square(near, y - 16_000, 100);
      let zone: string;
      let other: string;
      let good: Buffer;
      let far: Buffer;

      beforeAll(async(): Promise<void> => {
        zone = await addZone(operator, await addUna(operator, 'Pipes'), at);
        other = await addZone(neighbour, await addUna(neighbour, 'Wires'), at);
        good = await zip(networkFiles({ posList: `${near} ${y - 16_000} ${near + 50} ${y - 16_000}` }));
        far = await zip(networkFiles());
      });

      interface Report {
        State: string;
        Progress: number;
        Steps: { Name: string; State: string }[];
        Findings: { Rule: string }[];
        Credential?: Document;
      }

      async function validated(caller: PlanCaller, path: string): Promise<Report> {
        for (;;) {
          const response = await caller.call('GET', path);
          const report = await json<Report>(response);
          expect(response.status).toBe(200);
          if (report.State !== 'Validating') {
            return report;
          }
          await new Promise((resolve): void => {
            setTimeout(resolve, 100);
          });
        }
      }

      async function namesIn(response: Response): Promise<string[]> {
        expect([ response.status, response.headers.get('content-type') ]).toEqual([ 200, 'application/zip' ]);
        const bytes = Buffer.from(await response.arrayBuffer());
        expect(response.headers.get('content-length')).toBe(String(bytes.length));
        const names: string[] = [];
        for await (const { fileName } of (await fromBufferPromise(bytes, { lazyEntries: true })).eachEntry()) {
          names.push(fileName);
        }
        return names;
      }

      it('that fail, are corrected, and are downloaded as one zip.', async(): Promise<void> => {
        const { MapRequestId: id } = await file({ MapRequestZone: at });
        const path = `/imkl/maprequest/${id}`;
        const report = `/imkl/report/maprequest/${id}/unazone/${zone}`;
        await refused(operator.call('GET', report), 404, 'package-report-not-found');
        await refused(builder.call('GET', path), 404, 'answer-not-available');
        const uploaded = await operator.call('POST', `${path}/unazone/${zone}`, far, type);
        await expect(uploaded.json()).resolves.toMatchObject({ State: 'Validating', Size: far.length });
        expect([ uploaded.status, uploaded.headers.get('location') ]).toEqual([ 202, world.url(report) ]);
        const failed = await validated(operator, report);
        expect(failed).toMatchObject({ State: 'Rejected', Progress: 100, Findings: [{ Rule: 'nothing-near' }]});
        await expect(json(await builder.call('GET', `/maprequest/${id}/mri`))).resolves.toMatchObject({
          Status: 'Waiting',
          Unas: expect.arrayContaining([ expect.objectContaining({ UnaZoneId: zone, State: 'Confirmed' }) ]),
        });
        expect((await operator.call('POST', `${path}/unazone/${zone}`, good, type)).status).toBe(202);
        const passed = await validated(operator, report);
        expect(passed).toMatchObject({ State: 'Accepted', Findings: []});
        expect(passed.Steps).toContainEqual({ Name: 'Proximity', State: 'Passed' });
        await refused(operator.call('POST', `${path}/unazone/${zone}`, good, type), 409, 'answer-given');
        await expect(reply(operator, 'notinvolved', id, zone)).resolves.toBe('Invalid');
        await expect(json(await builder.call('GET', `/maprequest/${id}/mri`)))
          .resolves.toMatchObject({ Status: 'IncompleteAnswerAvailable' });
        await expect(namesIn(await builder.call('GET', path))).resolves.toEqual([ 'index.json', `${zone}.zip` ]);
        await refused(neighbour.call('GET', path), 404, 'answer-not-available');
        expect((await neighbour.call('POST', `${path}/unazone/${other}`, good, type)).status).toBe(202);
        await validated(neighbour, `/imkl/report/maprequest/${id}/unazone/${other}`);
        await expect(json(await builder.call('GET', `/maprequest/${id}/mri`)))
          .resolves.toMatchObject({ Status: 'PlansAvailable' });
        await expect(namesIn(await builder.call('GET', path)))
          .resolves.toEqual([ 'index.json', ...[ zone, other ].sort().map((name): string => `${name}.zip`) ]);
        await expect(namesIn(await neighbour.call('GET', path))).resolves.toEqual([ 'index.json', `${other}.zip` ]);
        const whole = await builder.call('GET', path);
        const etag = whole.headers.get('etag')!;
        const bytes = Buffer.from(await whole.arrayBuffer());
        const part = await builder.call('GET', path, undefined, { range: 'bytes=10-', 'if-range': etag });
        expect(part.status).toBe(206);
        expect(Buffer.from(await part.arrayBuffer()).equals(bytes.subarray(10))).toBe(true);
        expect((await builder.call('GET', path, undefined, { 'if-none-match': etag })).status).toBe(304);
      });

      it('are not taken when the right to send them has ended before they are all there.', async(): Promise<void> => {
        const { MapRequestId: id } = await file({ MapRequestZone: at });
        const app = await accountWithPod(world.server.base, 'uploads');
        const answer = `/imkl/maprequest/${id}/unazone/${zone}`;
        for (const [ status, path, end ] of [
          [ 403, answer, async(): Promise<void> => world.removeClient(operator.id, app.webId) ],
          [ 401, '/imkl/test', async(): Promise<unknown> =>
            removeCredentials(world.server.base, 'uploads', app.credentials.id) ],
        ] as const) {
          await world.addClient(operator.id, app.webId);
          const before = await packageFiles();
          const headers = { ...type, organisationId: operator.id };
          const late = await beginRequest(app.client, 'POST', world.url(path), headers, 'PK');
          while ((await packageFiles()).length === before.length) {
            await new Promise(setImmediate);
          }
          await end();
          await expect(late.finish('...')).resolves.toBe(status);
          await expect(packageFiles()).resolves.toEqual(before);
        }
        await refused(operator.call('GET', `/imkl/report${answer.slice(5)}`), 404, 'package-report-not-found');
        await expect(reply(operator, 'notinvolved', id, zone)).resolves.toBe('NotInvolved');
      });

      it('of which few arrive for one zone at a time.', async(): Promise<void> => {
        const { MapRequestId: id } = await file({ MapRequestZone: at });
        const answer = `/imkl/maprequest/${id}/unazone/${zone}`;
        const client = (await createClient('Bearer')).withToken(operator.token);
        const headers = { ...type, organisationId: operator.id };
        const before = (await packageFiles()).length;
        const begun = await Promise.all(Array.from({ length: 4 }, async(): Promise<BegunRequest> =>
          beginRequest(client, 'POST', world.url(answer), headers, 'PK')));
        while ((await packageFiles()).length < before + 4) {
          await new Promise(setImmediate);
        }
        await refused(operator.call('POST', answer, good, type), 409, 'validation-running');
        const statuses = await Promise.all(begun.map(async({ finish }): Promise<number> => finish('...')));
        expect(statuses.map(String).sort()).toEqual([ '202', '409', '409', '409' ]);
        const report = `/imkl/report${answer.slice(5)}`;
        await expect(validated(operator, report)).resolves.toMatchObject({ State: 'Rejected' });
        expect((await operator.call('POST', answer, good, type)).status).toBe(202);
        await validated(operator, report);
      });

      it('of which a token with scopes gets those for its roles.', async(): Promise<void> => {
        const [ both ] = await world.addOrganisations([ 'MapRequestInitiator', 'UnaManager', 'UnaOperator' ]);
        const own = await addZone(both, await addUna(both, 'Trams'), at);
        const { MapRequestId: id } = await json<Filed>(await both.call('POST', '/maprequest', request({
          MapRequestZone: at,
        })));
        const path = `/imkl/maprequest/${id}`;
        for (const [ caller, place ] of [[ both, own ], [ neighbour, other ]] as const) {
          expect((await caller.call('POST', `${path}/unazone/${place}`, good, type)).status).toBe(202);
          await expect(validated(caller, `/imkl/report/maprequest/${id}/unazone/${place}`))
            .resolves.toMatchObject({ State: 'Accepted' });
        }
        const all = [ 'index.json', ...[ own, other ].sort().map((name): string => `${name}.zip`) ];
        for (const [ scope, names ] of [
          [ undefined, all ],
          [ 'MapRequestInitiator', all ],
          [ 'UnaOperator', [ 'index.json', `${own}.zip` ]],
        ] as const) {
          const caller = await world.caller(both.id, { scope });
          await expect(namesIn(await caller.call('GET', path))).resolves.toEqual(names);
        }
        expect((await both.call('DELETE', `/unazone/${own}`)).status).toBe(204);
      });

      it('whose reports are signed once there is a result.', async(): Promise<void> => {
        const response = await operator.call('POST', '/imkl/test', good, type);
        const uploaded = await response.json() as Report & { TestId: string };
        expect(uploaded.Credential).toBeUndefined();
        const { Credential: credential, ...report } = await validated(operator, `/imkl/test/${uploaded.TestId}`);
        const digest = createHash('sha256').update(canonicalize(report)!).digest('base64');
        expect(credential).toMatchObject({
          issuer: `${world.server.base}v1/issuer`,
          credentialSubject: { id: `urn:uuid:${uploaded.TestId}`, digestSRI: `sha256-${digest}` },
        });
        expect((await verifyCredential(options(credential!))).verified).toBe(true);
        const subject = { ...credential!.credentialSubject as object, digestSRI: 'sha256-AAAA' };
        const other = { ...credential, credentialSubject: subject };
        expect((await verifyCredential(options(other))).verified).toBe(false);
      });

      it('by nobody else and in no other form; nothing is left of refused ones.', async(): Promise<void> => {
        const { MapRequestId: id } = await file({ MapRequestZone: at });
        const path = `/imkl/maprequest/${id}/unazone/${zone}`;
        const [ stranger ] = await world.addOrganisations([ 'UnaOperator', 'MapRequestInitiator' ]);
        const before = await readdir(join(world.folder, 'packages'));
        await refused(reader.call('POST', path, good, type), 403, 'role-missing');
        await refused(neighbour.call('POST', path, good, type), 403, 'not-of-organisation');
        await refused(stranger.call('POST', path, good, type), 403, 'not-of-organisation');
        const text = { 'content-type': 'text/plain' };
        await refused(operator.call('POST', path, good, text), 415, 'media-type-unsupported');
        await refused(operator.call('POST', path, undefined, type), 400, 'body-invalid');
        const nowhere = `/imkl/maprequest/${id}/unazone/${randomUUID()}`;
        await refused(operator.call('POST', nowhere, good, type), 404, 'map-request-not-found');
        await refused(stranger.call('GET', `/imkl/maprequest/${id}`), 404, 'map-request-not-found');
        await refused(stranger.call('GET', `/imkl/report${path.slice(5)}`), 404, 'package-report-not-found');
        // Packages of earlier tests are removed a moment after their validation.
        const after = await readdir(join(world.folder, 'packages'));
        expect(after.filter((name): boolean => !before.includes(name))).toEqual([]);
        await reply(operator, 'notinvolved', id, zone);
        await refused(operator.call('POST', path, good, type), 409, 'answer-given');
      });

      it('that can be tested first, without a plan request, for a month.', async(): Promise<void> => {
        const response = await operator.call('POST', '/imkl/test', far, type);
        const { TestId: id } = await response.json() as { TestId: string };
        expect([ response.status, response.headers.get('location') ]).toEqual([ 202, world.url(`/imkl/test/${id}`) ]);
        expect((await operator.call('POST', '/imkl/test', far)).status).toBe(202);
        const ofWindows = { 'content-type': 'application/x-zip-compressed' };
        expect((await operator.call('POST', '/imkl/test', far, ofWindows)).status).toBe(202);
        const report = await validated(operator, `/imkl/test/${id}`);
        expect(report).toMatchObject({ State: 'Accepted', Findings: []});
        expect(report.Steps).toContainEqual({ Name: 'Proximity', State: 'Skipped' });
        await refused(neighbour.call('GET', `/imkl/test/${id}`), 404, 'package-report-not-found');
        const { db } = await openDatabase(world.server.stored.place);
        await db.updateTable('planPackages').set({ receivedAt: Date.now() - (32 * 86_400_000) }).where('id', '=', id)
          .execute();
        await db.destroy();
        await refused(operator.call('GET', `/imkl/test/${id}`), 404, 'package-report-not-found');
      });
    });

    it('but not when they break a rule.', async(): Promise<void> => {
      const wrong: [object, string][] = [
        [{ StartDate: '2199-01-06' }, 'period-invalid' ],
        [{ StartDate: '2020-01-06' }, 'period-in-past' ],
        [{ StartDate: '2199-02-30' }, 'body-invalid' ],
        [{ NatureOfWorks: 'gardening' }, 'nature-of-works-unknown' ],
        [{ DeliveryInfo: { Name: 'Builder' }}, 'delivery-data-refused' ],
        [{ ContactInfo: { Name: 'Builder', Email: 'builder@example.org', Phone: 'none' }}, 'phone-invalid' ],
        [{ ContactInfo: undefined }, 'body-invalid' ],
        [{ ContactInfo: { Name: 'A', Email: 'a@example.org', Address: { ['a'.repeat(51)]: 'b' }}}, 'body-invalid' ],
        [{ MapRequestZone: square(50_000, 160_000, 25_000) }, 'perimeter-too-long' ],
      ];
      const before = (await list(builder, 'mri?limit=100')).ids;
      for (const [ more, problem ] of wrong) {
        await refused(builder.call('POST', '/maprequest', request(more)), 400, problem);
      }
      expect((await list(builder, 'mri?limit=100')).ids).toEqual(before);
    });
  });

  it('answer any input to any operation without internal errors.', async(): Promise<void> => {
    const { paths } = await json<{ paths: Record<string, object> }>(await fetch(world.url('/openapi.json')));
    const operations = Object.entries(paths).flatMap(([ path, methods ]): [string, string][] =>
      Object.keys(methods).map((method): [string, string] => [ method.toUpperCase(), path ]));
    const id = fc.constantFrom(randomUUID(), operator.id, '0', '\0', '..', '%', '__proto__', 'a'.repeat(3000));
    const place = fc.oneof(fc.double(), fc.integer({ min: x, max: x + 100 }), fc.constantFrom(null, '0', 1e308));
    const rings = fc.array(fc.array(fc.array(place, { maxLength: 3 }), { maxLength: 6 }), { maxLength: 2 });
    const geometry = fc.record({ type: fc.constantFrom('Polygon', 'MultiPolygon', 'x'), coordinates: rings });
    const zone = fc.record({ Geometry: fc.oneof(geometry, fc.jsonValue()) });
    const values = { Name: fc.string(), UnaId: id, OrganisationId: id, MapRequestId: id, UnaZoneId: id };
    const zones = { Geometries: fc.array(zone, { maxLength: 2 }), Zone: zone, MapRequestZone: zone };
    const known = fc.record({ ...values, ...zones, Settings: fc.jsonValue() }, { requiredKeys: []});
    const broken = fc.constantFrom('{', '['.repeat(3000));
    const body: fc.Arbitrary<unknown> = fc.oneof(zone, known, fc.jsonValue(), broken);
    const callers = [ builder, operator, reader, municipality ];
    const who = fc.nat({ max: callers.length - 1 });
    const sent = fc.tuple(fc.constantFrom(...operations), who, id, body);
    await fc.assert(fc.asyncProperty(sent, async([[ method, path ], at, part, what ]): Promise<void> => {
      const filled = path.slice('/ws/plans/v3'.length).replaceAll(/\{\w+\}/gu, encodeURIComponent(part));
      const text = typeof what === 'string' ? what : JSON.stringify(what);
      const hasBody = method !== 'GET' && method !== 'HEAD';
      const response = await callers[at].call(method, filled, hasBody ? text : undefined, {
        'content-type': 'application/json',
      });
      const answer = await response.text();
      expect([ response.status < 500, answer ]).toEqual([ true, answer ]);
    }), { numRuns: Number(process.env.FUZZ_RUNS ?? 200) });
  });

  it('record every change.', async(): Promise<void> => {
    const { db } = await openDatabase(world.server.stored.place);
    const rows = (await db.selectFrom('auditRows').select([ 'type', 'facts', 'personal' ]).execute())
      .filter(({ type }): boolean => type.startsWith('plan.'));
    await db.destroy();
    expect([ ...new Set(rows.map(({ type }): string => type)) ].sort()).toEqual([
      'plan.overlay.made',
      'plan.package.accepted',
      'plan.package.rejected',
      'plan.package.uploaded',
      'plan.pda.removed',
      'plan.pda.written',
      'plan.request.filed',
      'plan.request.replied',
      'plan.una.written',
      'plan.zone.changed',
      'plan.zone.registered',
      'plan.zone.removed',
    ]);
    expect(rows.every(({ facts, personal }): boolean => facts.includes('"organisation"') && personal === null))
      .toBe(true);
  });

  it('leave no names readable in the records.', async(): Promise<void> => {
    const { db } = await openDatabase(world.server.stored.place);
    const rows = JSON.stringify(await Promise.all([
      db.selectFrom('planRequests').selectAll().execute(),
      db.selectFrom('planUnaZones').selectAll().execute(),
      db.selectFrom('auditRows').selectAll().execute(),
    ]));
    await db.destroy();
    expect(rows).toContain('plan.request.filed');
    expect([ 'Builder', 'builder@example.org', 'Street 12', 'plans@telecom.example', '+32 9' ]
      .filter((text): boolean => rows.includes(text))).toEqual([]);
  });

  async function count(table: 'planOverlays'): Promise<number> {
    const { db } = await openDatabase(world.server.stored.place);
    const rows = await db.selectFrom(table).select('id').execute();
    await db.destroy();
    return rows.length;
  }
});
