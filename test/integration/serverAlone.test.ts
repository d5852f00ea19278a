import { join } from 'node:path';
import { logInToAccount } from '../../demo/lib/accounts';
import type { Started } from '../../demo/lib/startProcess';
import { startProcess } from '../../demo/lib/startProcess';
import { otherSpellings } from '../support/webIdSpellings';
import type { AccountHolder } from '../support/world';
import { accountWithPod, freePort, removeFolder, temporaryFolder } from '../support/world';

const root = join(__dirname, '../..');

/** The part that any operator of a Community Solid Server may use, without citizens. */
describe('A stock server with config/server.json', (): void => {
  let folder: string;
  let base: string;
  let server: Started;
  let owner: AccountHolder;

  beforeAll(async(): Promise<void> => {
    folder = await temporaryFolder();
    const port = await freePort();
    base = `http://localhost:${port}/`;
    server = await startProcess({
      args: [
        require.resolve('@solid/community-server/bin/server.js'),
        '-m',
        root,
        '-c',
        '@css:config/file.json',
        join(root, 'config/server.json'),
        '--port',
        String(port),
        '--rootFilePath',
        join(folder, 'pods'),
        '--loggingLevel',
        'warn',
      ],
      logFile: join(folder, 'server.log'),
      readyUrl: `${base}.account/`,
    });
    owner = await accountWithPod(base, 'owner', 'Bearer');
  });

  afterAll(async(): Promise<void> => {
    server?.child.kill('SIGTERM');
    await server?.exited;
    await removeFolder(folder);
  });

  it('shares no data.', async(): Promise<void> => {
    for (const path of [ 'v1/openapi.json', 'v1/webids', '.access/', '.health/live', '.uma/token' ]) {
      const { status } = await fetch(base + path);
      expect([ path, status ]).toEqual([ path, 401 ]);
    }
  });

  it('stores resources, under names that every storage supports.', async(): Promise<void> => {
    const url = `${owner.podUrl}note.txt`;
    const put = { headers: { 'content-type': 'text/plain' }, body: 'mine' };
    expect((await owner.client.request('PUT', url, put)).status).toBe(201);
    const read = await owner.client.request('GET', url, { headers: { range: 'bytes=1-2' }});
    expect([ read.status, await read.text() ]).toEqual([ 206, 'in' ]);
    expect((await owner.client.request('PUT', `${owner.podUrl}a%00b.txt`, put)).status).toBe(400);
    expect((await owner.client.request('PUT', `${owner.podUrl}${'n/'.repeat(100)}.txt`, put)).status).toBe(414);
    expect((await fetch(base, { headers: { 'x-forwarded-host': 'elsewhere.example' }})).status).toBe(421);
  });

  it('replaces descriptions.', async(): Promise<void> => {
    const [ path, headers ] = [ `${owner.podUrl}profile/card.meta`, { 'content-type': 'text/turtle' }];
    expect((await owner.client.request('PUT', path, { headers, body: '<card> <urn:p> "v".' })).status).toBe(205);
    await expect((await owner.client.request('GET', path)).text()).resolves.toContain('<urn:p> "v"');
  });

  it('limits the cost of patches.', async(): Promise<void> => {
    const patch = await owner.client.request('PATCH', `${owner.podUrl}patched.ttl`, {
      headers: { 'content-type': 'application/sparql-update' },
      body: `INSERT { <a> <b> 1 } WHERE { ${'{'.repeat(101)} ?s ?p ?o ${'}'.repeat(101)} }`,
    });
    expect(patch.status).toBe(400);
  });

  it('fetches no context from its own network.', async(): Promise<void> => {
    const answer = await owner.client.request('PUT', `${owner.podUrl}document.ttl`, {
      headers: { 'content-type': 'application/ld+json' },
      body: JSON.stringify({ '@context': 'http://169.254.169.254/latest', '@id': 'urn:a' }),
    });
    expect(answer.status).toBe(201);
    const accept = { headers: { accept: 'text/turtle' }};
    const read = await owner.client.request('GET', `${owner.podUrl}document.ttl`, accept);
    expect([ read.status, await read.text() ]).toEqual([ 406, expect.not.stringContaining('latest') ]);
  });

  it('links no WebID in another spelling, which may be another person\'s.', async(): Promise<void> => {
    const neighbour = await accountWithPod(base, 'neighbour', 'Bearer');
    const { index, authorization } = await logInToAccount(base, {
      email: 'owner@example.org',
      password: 'password of owner',
    });
    const read = await fetch(index, { headers: { accept: 'application/json', authorization }});
    const { controls } = await read.json() as { controls: { account: { webId: string }}};
    async function link(webId: string): Promise<unknown> {
      const { status } = await fetch(controls.account.webId, {
        method: 'POST',
        headers: { 'content-type': 'application/json', authorization },
        body: JSON.stringify({ webId }),
      });
      return [ webId, status ];
    }
    for (const webId of otherSpellings(owner.podUrl, neighbour.webId)) {
      await expect(link(webId)).resolves.toEqual([ webId, 400 ]);
    }
    const own = `${owner.podUrl}profile/card#too`;
    await expect(link(own)).resolves.toEqual([ own, 200 ]);
  });
});
