import { execFile, spawn } from 'node:child_process';
import { randomBytes, randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { existsSync, readdirSync } from 'node:fs';
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { promisify } from 'node:util';
import { Client as Connection } from 'pg';
import { logInToAccount } from '../../demo/lib/accounts';
import type { TestCitizen } from '../support/callers';
import { clientOf } from '../support/callers';
import { findBrokenInvariants } from '../support/invariants';
import { openRecordsOf } from '../support/openRecordsOf';
import { databaseUrl } from '../support/postgres';
import { sqlOf } from '../support/recordsSql';
import { stateInFiles } from '../support/serverState';
import type { Shared } from '../support/sharing';
import { linkCitizen } from '../support/linkCitizen';
import { lastPart } from '../support/sharing';
import { json, SharingWorld } from '../support/sharingWorld';
import type { TestStorage } from '../support/storage';
import { postgresStorage } from '../support/storage';
import type { AccountHolder, TestServer } from '../support/world';
import { accountWithPod, logInByClientCredentials } from '../support/world';
import { Client } from '../../demo/lib/Client';

const bin = join(__dirname, '../../bin/css-data-sharing.js');
const run = promisify(execFile);
/** Too long for one row. */
const film = randomBytes(700_000);

/** One installation, on files, then on PostgreSQL, and on files again. */
describe('An installation that moves to PostgreSQL and back', (): void => {
  let world: SharingWorld;
  let storage: TestStorage;
  let server: TestServer | undefined;
  let folder: string;
  let keys: string;
  let onPostgres: string;
  let restored: string;
  let citizen: TestCitizen;
  let consumer: AccountHolder;
  let holder: AccountHolder;
  let linked: TestCitizen[];
  let shared: Shared[];
  let ofLinked: Shared[];
  let etag: string | null;
  let credential: string;

  beforeAll(async(): Promise<void> => {
    world = await SharingWorld.start({ usual: {}});
    server = world.server;
    ({ folder } = server);
    keys = join(folder, 'keys');
    storage = await postgresStorage(folder);
    restored = restoredFrom(storage.place);
    onPostgres = named(storage.place, `moves ${randomUUID()}`);
    citizen = await world.citizen(4);
    consumer = await accountWithPod(world.base, 'consumer', 'Bearer');
    holder = await accountWithPod(world.base, 'holder', 'Bearer');
    linked = [ await linkCitizen(world, holder), await linkCitizen(world) ];
    shared = await world.shareAll(citizen);
    ofLinked = (await Promise.all(linked.map(async(one): Promise<Shared[]> => world.shareAll(one)))).flat();
    await put('film.mp4', 'video/mp4', film);
    await put('odd', 'application/vnd.nobody.knows', 'odd');
    await put('typed.ttl', 'text/turtle; charset=utf-8', '<> <urn:p> "é" .');
    await put('sub/empty.txt', 'text/plain', '');
    await subscribe();
    await report(shared[0]);
    await revoke(shared[1]);
    etag = (await consumer.client.request('GET', shared[0].podResource)).headers.get('etag');
    credential = await (await world.read(consumer.client, shared[0])).text();
    await expectAll();
    await stop();
  }, 240_000);

  afterAll(async(): Promise<void> => {
    await server?.stop();
    await Promise.all([ world.issuer.stop(), world.registry.stop() ]);
    await storage.remove();
    await query(`drop database if exists ${new URL(restored).pathname.slice(1)} with (force)`);
    await world.remove();
  });

  async function put(path: string, contentType: string, body: Buffer | string): Promise<void> {
    const url = `${holder.podUrl}${path}`;
    const headers = { 'content-type': contentType };
    expect((await holder.client.request('PUT', url, { headers, body })).status).toBe(201);
  }

  async function subscribe(): Promise<void> {
    const response = await holder.client.request('POST', `${world.base}.notifications/WebSocketChannel2023/`, {
      headers: { 'content-type': 'application/ld+json' },
      body: JSON.stringify({
        '@context': [ 'https://www.w3.org/ns/solid/notification/v1' ],
        type: 'http://www.w3.org/ns/solid/notifications#WebSocketChannel2023',
        topic: `${holder.podUrl}odd`,
      }),
    });
    expect(response.status).toBe(200);
  }

  async function report({ podResource, accessGrant }: Shared): Promise<void> {
    const body = { resource: podResource, accessGrant };
    expect((await consumer.client.request('POST', `${world.base}v1/data-copies`, { body })).status).toBe(201);
  }

  async function revoke({ podResource, accessGrant }: Shared): Promise<void> {
    const url = `${world.base}v1/pods/${citizen.podId}/resources/${lastPart(podResource)}/access-grants/${
      lastPart(accessGrant)}`;
    expect((await citizen.client.request('DELETE', url)).status).toBe(200);
  }

  async function stop(): Promise<void> {
    await server!.stop();
    server = undefined;
  }

  async function start(config: string, flags: Record<string, string | undefined>): Promise<void> {
    server = await world.startAgain(config, flags);
  }

  /** Checks for both places: tokens, accounts, pods, grants, credentials, copies, channels. */
  async function expectAll(revoked = [ shared[1] ]): Promise<void> {
    for (const one of shared) {
      const status = revoked.includes(one) ? 403 : 200;
      expect((await world.read(consumer.client, one)).status).toBe(status);
      expect((await world.read(consumer.client, one, '&verified=true')).status).toBe(status);
    }
    for (const [ index, one ] of linked.entries()) {
      expect((await world.read(consumer.client, ofLinked[index], '&verified=true')).status).toBe(200);
      const answer = await one.client.request('PUT', `${world.base}v1/webids`);
      expect([ answer.status, await answer.json() ]).toEqual([ 200, { uri: one.webId }]);
      await expect(world.shareAll(one)).resolves.toEqual([ ofLinked[index] ]);
      expect((await fetch(ofLinked[index].podResource)).status).toBe(401);
    }
    const document = await consumer.client.request('GET', shared[0].podResource);
    expect(document.headers.get('etag')).toBe(etag);
    await expect(document.text()).resolves.toBe(credential);

    const again = await clientOf(world.issuer, { citizen_national_id: citizen.nationalNumber });
    await expect(json(await again.request('PUT', `${world.base}v1/webids`))).resolves
      .toMatchObject({ uri: citizen.webId });
    const copies = await consumer.client.request('GET', `${world.base}v1/data-copies`);
    await expect(copies.text()).resolves.toContain(shared[0].podResource);

    await logInToAccount(world.base, { email: 'holder@example.org', password: 'password of holder' });
    const client = await logInByClientCredentials(Client.withBearer(), world.base, holder.credentials);
    for (const [ path, type, body ] of [
      [ 'film.mp4', 'video/mp4', film ],
      [ 'odd', 'application/vnd.nobody.knows', Buffer.from('odd') ],
      [ 'typed.ttl', 'text/turtle', Buffer.from('<> <urn:p> "é" .') ],
      [ 'sub/empty.txt', 'text/plain', Buffer.alloc(0) ],
    ] as const) {
      const response = await client.request('GET', `${holder.podUrl}${path}`);
      expect(response.headers.get('content-type')).toContain(type);
      expect(Buffer.from(await response.arrayBuffer()).equals(body)).toBe(true);
      expect((await consumer.client.request('GET', `${holder.podUrl}${path}`)).status).toBe(403);
    }
  }

  function moving(from: string, to: string, root: string): string[] {
    return [ bin, 'move', '--records', from, '--to', to, '--keys', keys, '--rootFilePath', root ];
  }

  async function move(from: string, to: string, root: string): Promise<string> {
    return (await run(process.execPath, moving(from, to, root))).stdout;
  }

  /** Waits until the database has noticed that the killed process is gone. */
  async function untilGone(name = new URL(onPostgres).searchParams.get('application_name')): Promise<void> {
    while ((await query(`select pid from pg_stat_activity where application_name = '${name}'`)).length > 0) {
      await query('select pg_sleep(0.01)');
    }
  }

  /** Holds up a move for as long as the work lasts. */
  async function holding<T>(statement: string, work: () => Promise<T>): Promise<T> {
    const connection = new Connection({ connectionString: storage.place });
    await connection.connect();
    try {
      await connection.query('begin');
      await connection.query(statement);
      return await work();
    } finally {
      await connection.end();
    }
  }

  async function countRows(table: string): Promise<number> {
    const connection = new Connection({ connectionString: storage.place });
    await connection.connect();
    try {
      return Number((await connection.query(`select count(*) as rows from ${table}`)).rows[0].rows);
    } finally {
      await connection.end();
    }
  }

  it('is complete on PostgreSQL, though the move was killed half-way.', async(): Promise<void> => {
    const from = join(folder, 'records.sqlite');
    const pods = join(folder, 'pods');
    const words = moving(from, onPostgres, pods);
    await runUntil(words, `said.includes('accessGrants')`);
    await untilGone();
    await holding('lock table pod_resources in exclusive mode', async(): Promise<void> =>
      killMove(words, (said): boolean => said.includes('Copying the pods')));
    await untilGone();
    await holding(
      `insert into pod_resources (path, metadata, modified, size) values ('/holder/film.mp4', '', 0, 0)`,
      async(): Promise<void> => killMove(words, async(): Promise<boolean> => await countRows('pod_chunks') > 2),
    );
    await untilGone();
    await expect(move(from, onPostgres, pods)).resolves.toContain('The audit record is intact');
    await expect(countRows('pod_chunks')).resolves.toBe(3);

    await start('postgres.json', storage.options({}).flags!);
    await expectAll();
    expect((await storage.values('notifications')).join('')).toContain('"sealed"');
    await expect(move(onPostgres, join(folder, 'nowhere.sqlite'), join(folder, 'nowhere'))).rejects
      .toThrow('is in use: stop every server first');
  });

  it('revokes and shares there, and can be dumped while it serves.', async(): Promise<void> => {
    await revoke(shared[2]);
    await world.writeDiploma(citizen, 5);
    shared = [ ...shared, ...(await world.shareAll(citizen)).filter(({ podResource }): boolean =>
      !shared.some((one): boolean => one.podResource === podResource)) ];
    expect(shared).toHaveLength(5);
    await expectAll([ shared[1], shared[2] ]);
    await dumpAndRestore();
    await stop();
  });

  it('is served from the restored dump in its state at the time of the dump.', async(): Promise<void> => {
    await start('postgres.json', { ...storage.options({}).flags, records: restored });
    await expectAll([ shared[1], shared[2] ]);
    await stop();
  });

  it('is complete on files again, moved from the dump and killed half-way.', async(): Promise<void> => {
    const records = join(folder, 'back/records.sqlite');
    const pods = join(folder, 'back/pods');
    const words = moving(named(restored, 'moves back'), records, pods);
    const pod = join(pods, 'holder');
    await runUntil(words, `existsSync(${JSON.stringify(pod)}) && readdirSync(${JSON.stringify(pod)}).length > 2`);
    await untilGone('moves back');
    await expect(move(restored, records, pods)).resolves.toContain('The audit record is intact');

    await start('file.json', { records, rootFilePath: pods });
    await expectAll([ shared[1], shared[2] ]);
    await revoke(shared[3]);
    await expectAll([ shared[1], shared[2], shared[3] ]);
    const [ before, after ] = await Promise.all([ join(folder, 'pods'), pods ].map(async(root): Promise<string[]> =>
      readdir(join(root, '.internal/notifications'))));
    expect(after).toEqual(before);
    await stop();
    const open = await openRecordsOf(folder, { records, existing: true });
    const { records: { audit }, close } = open;
    const state = await stateInFiles(world.base, pods, open);
    await expect(findBrokenInvariants({ base: world.base, state, sql: sqlOf(records), audit, now: new Date() }))
      .resolves.toEqual([]);
    await close();
  });

  /** As in `docs/usage`. */
  async function dumpAndRestore(): Promise<void> {
    const file = join(folder, 'dump');
    const { pathname, searchParams } = new URL(restored);
    const schema = searchParams.get('options')!.split('=')[1];
    await run(postgresTool('pg_dump'), [ '--format=custom', `--file=${file}`, `--schema=${schema}`, databaseUrl! ]);
    await query(`create database ${pathname.slice(1)}`);
    const target = new URL(databaseUrl!);
    target.pathname = pathname;
    await run(postgresTool('pg_restore'), [ '--exit-on-error', `--dbname=${target.href}`, file ]);
  }
});

/** Another database, with the same schema in it. */
function restoredFrom(url: string): string {
  const other = new URL(url);
  other.pathname = `restored_${randomUUID().replaceAll('-', '')}`;
  return other.href;
}

/** Returns the URL of the database with an application name. */
function named(url: string, name: string): string {
  const other = new URL(url);
  other.searchParams.set('application_name', name);
  return other.href;
}

async function query(statement: string): Promise<object[]> {
  const connection = new Connection({ connectionString: databaseUrl });
  await connection.connect();
  try {
    return (await connection.query<object>(statement)).rows;
  } finally {
    await connection.end();
  }
}

/** Debian keeps the tools of PostgreSQL in a folder for each version. */
function postgresTool(name: string): string {
  const root = '/usr/lib/postgresql';
  const versions = existsSync(root) ? readdirSync(root).sort() : [];
  const path = join(root, versions.at(-1) ?? '', 'bin', name);
  return existsSync(path) ? path : name;
}

/**
 * Runs a move that kills itself as soon as a condition holds: while another process looks, it could come to its end.
 *
 * @param words - Command line.
 * @param isSo - The condition in JavaScript, on `said`, which is all that the move has reported, and on files.
 */
async function runUntil(words: string[], isSo: string): Promise<void> {
  const program = `
    import { existsSync, readdirSync } from 'node:fs';
    const { write } = process.stderr;
    let said = '';
    process.stderr.write = (text, ...more) => {
      said += text;
      return write.call(process.stderr, text, ...more);
    };
    setInterval(() => (${isSo}) && process.kill(process.pid, 'SIGKILL'), 1).unref();
  `;
  const module = `data:text/javascript,${encodeURIComponent(program)}`;
  const child = spawn(process.execPath, [ '--import', module, ...words ], { stdio: 'ignore' });
  await expect(once(child, 'exit')).resolves.toEqual([ null, 'SIGKILL' ]);
}

/** Kills a move, which is held up, as soon as a condition holds. */
async function killMove(words: string[], isSo: (said: string) => Promise<boolean> | boolean): Promise<void> {
  const child = spawn(process.execPath, words);
  let said = '';
  child.stderr.on('data', (bytes: Buffer): void => {
    said += bytes.toString();
  });
  const exited = once(child, 'exit');
  while (child.exitCode === null && !await isSo(said)) {
    await setTimeout(10);
  }
  child.kill('SIGKILL');
  await expect(exited).resolves.toEqual([ null, 'SIGKILL' ]);
}
