import type { Dirent } from 'node:fs';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { getFile, getSolidDataset, getThing, getUrlAll, overwriteFile } from '@inrupt/solid-client';
import type { Session } from '@inrupt/solid-client-authn-node';
import type { Started } from '../../demo/lib/startProcess';
import { startProcess } from '../../demo/lib/startProcess';
import { parseWebId } from '../../src/platform/webId';
import { testFreshReads } from '../support/freshReads';
import { issueGrant } from '../support/issueGrant';
import { withRecordsOf } from '../support/openRecordsOf';
import { listTree, logInStockClient } from '../support/solidClient';
import { fictitiousNumber } from '../support/fictitiousNumber';
import { TestIssuer } from '../support/TestIssuer';
import type { AccountHolder } from '../support/world';
import { accountWithPod, Client, freePort, removeFolder, temporaryFolder } from '../support/world';

const root = join(__dirname, '../..');
const data = join(root, 'demo/data');
const stockServer = require.resolve('@solid/community-server/bin/server.js');
const oidcIssuer = 'http://www.w3.org/ns/solid/terms#oidcIssuer';

/** A stock server with pods in it, to which the operator adds one configuration file. */
describe('A stock server with a pod in it, restarted with the one extra file,', (): void => {
  let folder: string;
  let base: string;
  let issuer: TestIssuer;
  let server: Started;
  let old: AccountHolder;
  let other: AccountHolder;
  let session: Session;
  let files: string[];
  let keyBefore: string;

  beforeAll(async(): Promise<void> => {
    folder = await temporaryFolder();
    const port = await freePort();
    base = `http://localhost:${port}/`;
    await start([]);
    old = await accountWithPod(base, 'old', 'Bearer');
    session = await logInStockClient(base, old.credentials);
    await write('before', session);
    files = await listTree(old.podUrl, session);
    await session.logout();
    keyBefore = await publishedKey();
    // A stock server exits on a signal without cleaning up.
    server.child.kill('SIGTERM');
    await server.exited;
    issuer = await TestIssuer.start();
    await start([ join(root, 'config/data-sharing.json') ], dataSharingFlags());
    other = await accountWithPod(base, 'other', 'Bearer');
    session = await logInStockClient(base, old.credentials);
  });

  afterAll(async(): Promise<void> => {
    await session?.logout();
    server?.child.kill('SIGTERM');
    await server?.exited;
    await issuer?.stop();
    await removeFolder(folder);
  });

  async function start(configs: string[], flags: Record<string, string> = {}): Promise<void> {
    const all = { port: new URL(base).port, rootFilePath: join(folder, 'pods'), loggingLevel: 'warn', ...flags };
    server = await startProcess({
      args: [
        stockServer,
        '-m',
        root,
        '-c',
        '@css:config/file.json',
        ...configs,
        ...Object.entries(all).flatMap(([ name, value ]): string[] => [ `--${name}`, value ]),
      ],
      logFile: join(folder, 'server.log'),
      readyUrl: `${base}.account/`,
    });
  }

  /** Returns the ids of the keys that sign as the stock server does; there is one more for RS256. */
  async function publishedKey(): Promise<string> {
    const { keys } = await (await fetch(`${base}.oidc/jwks`)).json() as { keys: { alg: string; kid: string }[] };
    return keys.filter(({ alg }): boolean => alg === 'ES256').map(({ kid }): string => kid).join(' ');
  }

  function dataSharingFlags(): Record<string, string> {
    return {
      nationalIssuers: issuer.issuer,
      contracts: join(data, 'contracts'),
      purposes: join(data, 'purposes'),
      sources: join(data, 'sources'),
      records: join(folder, 'records.sqlite'),
      keys: join(folder, 'keys'),
      allowLoopback: 'true',
    };
  }

  async function write(text: string, { fetch }: Session): Promise<void> {
    await overwriteFile(`${old.podUrl}note.txt`, new Blob([ text ]), { contentType: 'text/plain', fetch });
  }

  it('serves the interface.', async(): Promise<void> => {
    expect((await fetch(`${base}v1/openapi.json`)).status).toBe(200);
    expect((await fetch(`${base}v1/contracts/diploma-employment`)).status).toBe(200);
  });

  it('shows its account pages and errors with this package\'s templates.', async(): Promise<void> => {
    for (const path of [ '.account/login/password/', '.account/login/password/register/', '.oidc/none', 'none' ]) {
      const response = await fetch(base + path, { headers: { accept: 'text/html' }});
      const page = await response.text();
      expect([ path, page.includes('Data sharing</title>'), /<script>|Community Solid Server/u.test(page) ])
        .toEqual([ path, true, false ]);
    }
  });

  it('keeps the account, its credentials, and everything in the pod.', async(): Promise<void> => {
    expect(session.info.webId).toBe(old.webId);
    await expect(listTree(old.podUrl, session)).resolves.toEqual(files);
    const { fetch } = session;
    await expect((await getFile(`${old.podUrl}note.txt`, { fetch })).text()).resolves.toBe('before');
    await write('after', session);
    await expect((await getFile(`${old.podUrl}note.txt`, { fetch })).text()).resolves.toBe('after');
  });

  it('keeps the key of its identity provider, and encrypts all that was in clear.', async(): Promise<void> => {
    await expect(publishedKey()).resolves.toBe(keyBefore);
    // Not all of it: locks come and go, also after a response.
    const entries = await Promise.all([ 'accounts', 'idp' ].map(async(kind): Promise<Dirent[]> =>
      readdir(join(folder, 'pods/.internal', kind), { recursive: true, withFileTypes: true })));
    const kept = entries.flat().filter((file): boolean =>
      file.isFile() && /\.internal\/(?:accounts|idp\/adapter|idp\/keys)/u.test(file.parentPath));
    expect(kept.length).toBeGreaterThan(0);
    for (const { name, parentPath } of kept) {
      const stored = JSON.parse(await readFile(join(parentPath, name), 'utf8')) as Record<string, unknown>;
      expect([ name, stored ]).toEqual([
        expect.stringMatching(/^[\da-f]{64}\$\.json$/u),
        { key: expect.stringMatching(/^[\w/-]+\/[\da-f]{64}$/u), payload: { sealed: expect.any(String) }},
      ]);
    }
  });

  it('keeps tokens that were issued before, and refusals.', async(): Promise<void> => {
    const url = `${old.podUrl}note.txt`;
    expect((await old.client.request('GET', url)).status).toBe(200);
    expect((await other.client.request('GET', url)).status).toBe(403);
    expect((await fetch(url)).status).toBe(401);
  });

  it('leaves profile and public resources of the pod as they were.', async(): Promise<void> => {
    const profile = getThing(await getSolidDataset(old.webId), old.webId)!;
    expect(getUrlAll(profile, oidcIssuer)).toEqual([ base ]);
    expect((await fetch(`${old.podUrl}README`)).status).toBe(200);
  });

  it('knows whose pod it is.', async(): Promise<void> => {
    await withRecordsOf(folder, async({ records: { podOwners }}): Promise<void> => {
      await expect(podOwners.podsOf(parseWebId(old.webId))).resolves.toEqual([ old.podUrl ]);
      await expect(podOwners.podsOf(parseWebId(other.webId))).resolves.toEqual([ other.podUrl ]);
      await expect(podOwners.searchedAt()).resolves.toBeInstanceOf(Date);
    });
  });

  it('honours a grant by the owner in both ways of reading, and no grant by somebody else.', async(): Promise<void> => {
    const resource = `${old.podUrl}note.txt`;
    const url = `${base}v1/resources?resource=${encodeURIComponent(resource)}`;
    const recipient = parseWebId(other.webId);
    const members = { recipient, modes: [ 'Read' as const ], resources: [ resource ], inherit: false };
    const forged = await issueGrant({ base, folder }, { ...members, subject: parseWebId(other.webId) });
    async function read(accessGrant: string): Promise<number> {
      return (await other.client.request('GET', url, { headers: { 'x-access-grant': accessGrant }})).status;
    }
    await expect(read(forged)).resolves.toBe(403);
    expect((await other.client.request('GET', resource)).status).toBe(403);
    const given = await issueGrant({ base, folder }, { ...members, subject: parseWebId(old.webId) });
    await expect(read(given)).resolves.toBe(200);
    expect((await other.client.request('GET', resource)).status).toBe(200);
  });

  it('gives a citizen a pod of which only the profile is public.', async(): Promise<void> => {
    const token = await issuer.sign({ citizen_national_id: fictitiousNumber(1) });
    const created = await Client.withBearer(token).request('PUT', `${base}v1/webids`);
    expect(created.status).toBe(201);
    const { uri } = await created.json() as { uri: string };
    const podUrl = uri.replace(/profile\/card#me$/u, '');
    expect((await fetch(uri)).status).toBe(200);
    for (const path of [ '', 'profile/', 'README' ]) {
      expect((await fetch(`${podUrl}${path}`)).status).toBe(401);
    }
  });

  describe('read with a grant,', (): void => {
    testFreshReads((): { base: string; folder: string } => ({ base, folder }));
  });
});
