import { createHash } from 'node:crypto';
import { cp, mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join, relative } from 'node:path';
import type { TestCitizen } from '../support/callers';
import type { CommandAnswer } from '../support/commandLine';
import { operate } from '../support/commandLine';
import { findBrokenInvariants } from '../support/invariants';
import { openRecordsOf } from '../support/openRecordsOf';
import { sqlOf } from '../support/recordsSql';
import { stateInFiles } from '../support/serverState';
import type { Shared } from '../support/sharing';
import { linkCitizen } from '../support/linkCitizen';
import { lastPart } from '../support/sharing';
import { SharingWorld } from '../support/sharingWorld';
import type { AccountHolder, TestServer } from '../support/world';
import { accountWithPod } from '../support/world';

describe('A backup of a server with SQLite and pods in files', (): void => {
  let world: SharingWorld;
  let server: TestServer | undefined;
  let folder: string;
  let citizen: TestCitizen;
  let consumer: AccountHolder;
  /** Citizens with their own WebIDs: one with an existing pod, one from elsewhere. */
  let linked: TestCitizen[];
  let before: Shared[];
  let noted: { audit: { sequence: number; hash: string }};

  beforeAll(async(): Promise<void> => {
    world = await SharingWorld.start({ usual: {}});
    ({ server } = world);
    ({ folder } = server);
    consumer = await accountWithPod(world.base, 'consumer', 'Bearer');
    citizen = await world.citizen(3);
    linked = [ await linkCitizen(world, consumer), await linkCitizen(world) ];
    before = (await Promise.all([ citizen, ...linked ].map(async(one): Promise<Shared[]> => world.shareAll(one))))
      .flat();
  });

  afterAll(async(): Promise<void> => {
    await server?.stop();
    await Promise.all([ world.issuer.stop(), world.registry.stop() ]);
    await world.remove();
  });

  async function command(...words: string[]): Promise<CommandAnswer> {
    const place = { records: join(folder, 'records.sqlite'), keys: join(folder, 'keys'), pods: join(folder, 'pods') };
    return operate(place, words);
  }

  async function backUp(name: string): Promise<CommandAnswer> {
    return command('backup', '--into', join(folder, name));
  }

  async function verify(name: string): Promise<CommandAnswer> {
    return command('backup', 'verify', join(folder, name));
  }

  /** Registers, shares, revokes and leaves, again and again until stopped. */
  async function live(isEnough: () => boolean): Promise<number[]> {
    const statuses: number[] = [];
    while (!isEnough()) {
      const one = await world.citizen(2);
      const shared = await world.shareAll(one);
      await world.writeDiploma(one, 1, '2');
      await world.shareAll(one);
      statuses.push(
        (await world.read(consumer.client, shared[0])).status,
        (await one.client.request('DELETE', `${world.base}v1/pods/${one.podId}/resources/${
          lastPart(shared[1].podResource)}/access-grants/${lastPart(shared[1].accessGrant)}`)).status,
        (await one.client.request('DELETE', `${world.base}v1/webids`)).status,
      );
    }
    return statuses;
  }

  /** Finds damage that a start after a crash would not repair: a share without its file, or a file without a share. */
  async function findTorn(name: string): Promise<string[]> {
    const sql = sqlOf(join(folder, name, 'records.sqlite'));
    const pods = join(folder, name, 'pods');
    const [ shares, intents, citizens ] = await Promise.all([
      sql('select resource, digest from shares'),
      sql('select resource from share_intents'),
      sql(`select pod_url from citizens where state = 'ACTIVE'`),
    ]);
    const inProgress = new Set(intents.map(({ resource }): unknown => resource));
    const documents = new Map<string, string>();
    for (const entry of await readdir(pods, { recursive: true, withFileTypes: true })) {
      const file = join(entry.parentPath, entry.name);
      if (entry.isFile() && /\/credentials(?:-[^/]+)?\/[^/]+\/[^/]+$/u.test(file)) {
        const uri = `${world.base}${relative(pods, file).replace(/\$\.[^/.]+$/u, '')}`;
        documents.set(uri, createHash('sha256').update(await readFile(file)).digest('hex'));
      }
    }
    const lasting = [ ...shares.map(({ resource }): string => String(resource)), ...documents.keys() ]
      .filter((uri): boolean => !inProgress.has(uri))
      .filter((uri): boolean => citizens.some(({ pod_url: podUrl }): boolean => uri.startsWith(String(podUrl))));
    expect(lasting.length).toBeGreaterThan(2);
    return lasting.filter((uri): boolean =>
      documents.get(uri) === undefined ||
      shares.find(({ resource }): boolean => resource === uri)?.digest !== documents.get(uri));
  }

  it('is made while everybody continues, and refuses nobody anything.', async(): Promise<void> => {
    let isEnough = false;
    const lives = [ 1, 2, 3 ].map(async(): Promise<number[]> => live((): boolean => isEnough));
    for (const name of [ 'first', 'second', 'third' ]) {
      await expect(backUp(name)).resolves.toMatchObject({ code: 0 });
      await expect(findTorn(name)).resolves.toEqual([]);
      await expect(verify(name)).resolves.toMatchObject({ code: 0 });
    }
    isEnough = true;
    const statuses = (await Promise.all(lives)).flat();
    expect(statuses.length).toBeGreaterThan(3);
    expect(statuses.filter((status): boolean => status >= 300)).toEqual([]);
    noted = JSON.parse(await readFile(join(folder, 'third/backup.json'), 'utf8')) as typeof noted;
    expect((await readdir(join(folder, 'third'))).sort()).toEqual([ 'backup.json', 'pods', 'records.sqlite' ]);
  });

  it('contains no keys, and says which it needs.', async(): Promise<void> => {
    const { output } = await backUp('fourth');
    const keys = await readdir(join(folder, 'keys'));
    expect(keys.length).toBeGreaterThan(3);
    for (const key of keys) {
      expect(output).toContain(key);
    }
    const names = await readdir(join(folder, 'fourth'), { recursive: true });
    expect(names.filter((name): boolean => keys.some((key): boolean => name.includes(key)))).toEqual([]);
  });

  it('needs an empty folder outside of the pods.', async(): Promise<void> => {
    await expect(backUp('first')).resolves.toMatchObject({ code: 1, errors: expect.stringContaining('is not empty') });
    await expect(backUp('pods/backup')).resolves
      .toMatchObject({ code: 1, errors: expect.stringContaining('--into') });
  });

  it('is verified: one changed byte is found, in each kind of file.', async(): Promise<void> => {
    const third = join(folder, 'third');
    const entries = await readdir(third, { recursive: true, withFileTypes: true });
    const all = entries.filter((entry): boolean => entry.isFile())
      .map((entry): string => join(entry.parentPath, entry.name));
    const kinds = [ /records\.sqlite$/u, /\/credentials\/../u, /\.acl$/u, /profile\/card/u, /accounts\/data\//u ];
    for (const kind of kinds) {
      const file = all.find((one): boolean => kind.test(one))!;
      const content = await readFile(file);
      const damaged = Buffer.from(content);
      damaged[Math.floor(content.length / 2)] ^= 0x10;
      await writeFile(file, damaged);
      await expect(verify('third')).resolves
        .toMatchObject({ code: 3, output: expect.stringContaining(`damaged: ${relative(third, file)}\n`) });
      await writeFile(file, content);
    }
    await expect(verify('third')).resolves.toMatchObject({ code: 0 });
  });

  it('is restored: the server starts, and all data is consistent.', async(): Promise<void> => {
    await server!.stop();
    server = undefined;
    const records = join(folder, 'records.sqlite');
    const pods = join(folder, 'pods');
    for (const old of [ records, `${records}-wal`, `${records}-shm`, pods ]) {
      await rm(old, { recursive: true, force: true });
    }
    await cp(join(folder, 'third/records.sqlite'), records, { preserveTimestamps: true });
    // Half restored, or a disk that is not mounted: all data would seem to be removed by its owners.
    await mkdir(pods);
    await expect(world.startAgain()).rejects.toThrow('--rootFilePath (-f): no pod of the citizens on record is there');
    await rm(pods, { recursive: true });
    await cp(join(folder, 'third/pods'), pods, { recursive: true, preserveTimestamps: true });
    server = await world.startAgain();
    for (const one of before) {
      expect((await world.read(consumer.client, one)).status).toBe(200);
      expect((await world.read(consumer.client, one, '&verified=true')).status).toBe(200);
    }
    await expect(world.shareAll(citizen)).resolves.toEqual(before.slice(0, 3));
    for (const [ index, one ] of linked.entries()) {
      const answer = await one.client.request('PUT', `${world.base}v1/webids`);
      expect([ answer.status, await answer.json() ]).toEqual([ 200, { uri: one.webId }]);
      await expect(world.shareAll(one)).resolves.toEqual([ before[3 + index] ]);
    }
    await server.stop();
    server = undefined;
    const open = await openRecordsOf(folder, { existing: true });
    const { records: { audit }, close } = open;
    const sql = sqlOf(records);
    const state = await stateInFiles(world.base, pods, open);
    await expect(findBrokenInvariants({ base: world.base, state, sql, audit, now: new Date() })).resolves.toEqual([]);
    await expect(sql(`select hash from audit_rows where sequence = ${noted.audit.sequence}`)).resolves
      .toEqual([{ hash: noted.audit.hash }]);
    await close();
  });
});
