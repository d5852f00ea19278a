import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { cp, readdir, readFile, rename, rm, truncate, writeFile } from 'node:fs/promises';
import { join, relative } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import type { TestCitizen } from '../support/callers';
import type { CommandAnswer } from '../support/commandLine';
import { operate } from '../support/commandLine';
import type { Shared } from '../support/sharing';
import { SharingWorld } from '../support/sharingWorld';
import type { AccountHolder, TestServer } from '../support/world';
import { accountWithPod } from '../support/world';
import { dice } from './dice';

const bin = join(__dirname, '../../bin/css-data-sharing.js');

/** Seed of the damage: fixed, or `FAULT_SEED`. */
const seed = Number(process.env.FAULT_SEED ?? 20_261_122);
/** Every kind of file in a backup. */
const kinds: [what: string, files: RegExp, flips: number][] = [
  [ 'the records', /^records\.sqlite$/u, 60 ],
  [ 'credentials', /^pods\/[^.][^/]*\/credentials\/../u, 30 ],
  [ 'access rules', /\.acl$/u, 30 ],
  [ 'profiles', /\/profile\/card/u, 30 ],
  [ 'accounts', /^pods\/\.internal\/accounts\//u, 30 ],
  [ 'the note', /^backup\.json$/u, 60 ],
  [ 'anything', /./u, 60 ],
];

describe(`Backups (seed ${seed})`, (): void => {
  const throwDice = dice(seed);
  let world: SharingWorld;
  let server: TestServer | undefined;
  let folder: string;
  let consumer: AccountHolder;
  let citizen: TestCitizen;
  let shared: Shared[];
  let backup: string;

  beforeAll(async(): Promise<void> => {
    world = await SharingWorld.start({ usual: {}});
    ({ server } = world);
    ({ folder } = server);
    consumer = await accountWithPod(world.base, 'consumer', 'Bearer');
    citizen = await world.citizen(3);
    shared = await world.shareAll(citizen);
    backup = join(folder, 'backup');
    await command('backup', '--into', backup);
  });

  afterAll(async(): Promise<void> => {
    await server?.stop();
    await Promise.all([ world.issuer.stop(), world.registry.stop() ]);
    await world.remove();
  });

  function place(): { records: string; keys: string; pods: string } {
    return { records: join(folder, 'records.sqlite'), keys: join(folder, 'keys'), pods: join(folder, 'pods') };
  }

  async function command(...words: string[]): Promise<CommandAnswer> {
    return operate(place(), words);
  }

  async function filesOf(kind: RegExp): Promise<string[]> {
    const entries = await readdir(backup, { recursive: true, withFileTypes: true });
    return entries.filter((entry): boolean => entry.isFile())
      .map((entry): string => relative(backup, join(entry.parentPath, entry.name)))
      .filter((path): boolean => kind.test(path))
      .sort();
  }

  /** Reports the damage and names the file, unless the list of files itself is unreadable. */
  async function expectFound(path: string): Promise<void> {
    const { code, output } = await command('backup', 'verify', backup);
    expect({ path, code }).toEqual({ path, code: path === 'backup.json' ? expect.any(Number) : 3 });
    expect(code).not.toBe(0);
    expect(code === 1 || output.includes(`: ${path}`)).toBe(true);
  }

  it.each(kinds)('are detected as damaged when one bit is flipped in %s.', async(_what, kind, flips): Promise<void> => {
    const files = await filesOf(kind);
    expect(files.length).toBeGreaterThan(0);
    for (let count = 0; count < flips; count += 1) {
      const path = files[throwDice(files.length)];
      const content = await readFile(join(backup, path));
      // An empty file has no bit to flip.
      if (content.length > 0) {
        const damaged = Buffer.from(content);
        damaged[throwDice(content.length)] ^= 2 ** throwDice(8);
        await writeFile(join(backup, path), damaged);
        await expectFound(path);
        await writeFile(join(backup, path), content);
      }
    }
    await expect(command('backup', 'verify', backup)).resolves.toMatchObject({ code: 0 });
  });

  it('are detected as damaged when a file is truncated anywhere, or another one\'s.', async(): Promise<void> => {
    const files = await filesOf(/./u);
    for (let count = 0; count < 40; count += 1) {
      const path = files[throwDice(files.length)];
      const content = await readFile(join(backup, path));
      if (content.length > 0) {
        await truncate(join(backup, path), throwDice(content.length));
        await expectFound(path);
        await writeFile(join(backup, path), content);
      }
      const other = files[throwDice(files.length)];
      if (path !== 'backup.json' && !content.equals(await readFile(join(backup, other)))) {
        await cp(join(backup, other), join(backup, path));
        await expectFound(path);
        await writeFile(join(backup, path), content);
      }
    }
    await expect(command('backup', 'verify', backup)).resolves.toMatchObject({ code: 0 });
  });

  it('are never taken for complete when they were killed half-way.', async(): Promise<void> => {
    const codes = new Set<number>();
    for (const part of [ 0.2, 0.5, 0.7, 0.8, 0.9, 1, 3 ]) {
      const into = join(folder, 'cut');
      const { records, keys, pods } = place();
      const words = [ bin, 'backup', '--into', into, '--records', records, '--keys', keys, '-f', pods ];
      const child = spawn(process.execPath, words, { stdio: 'ignore' });
      const exited = once(child, 'exit') as Promise<[number | null]>;
      // Wherever it is by then.
      await Promise.race([ exited, setTimeout(part * 1000) ]);
      child.kill('SIGKILL');
      const [ exitCode ] = await exited;
      const isNoted = (await readdir(into).catch((): string[] => [])).includes('backup.json');
      const { code } = await command('backup', 'verify', into);
      codes.add(code);
      expect({ part, exitCode, code }).toEqual({ part, exitCode, code: isNoted ? 0 : 1 });
      expect(exitCode === 0 && code !== 0).toBe(false);
      await rm(into, { recursive: true, force: true });
    }
    expect(codes).toContain(1);
  });

  it('are restored if complete: a server starts and serves, with its audit record intact.', async(): Promise<void> => {
    const rows = /ends with row (\d+)/u.exec((await command('backup', 'verify', backup)).output)![1];
    await server!.stop();
    server = undefined;
    const { records, pods } = place();
    await rename(pods, join(folder, 'pods-before'));
    for (const old of [ records, `${records}-wal`, `${records}-shm` ]) {
      await rm(old, { force: true });
    }
    await cp(join(backup, 'pods'), pods, { recursive: true, preserveTimestamps: true });
    await cp(join(backup, 'records.sqlite'), records, { preserveTimestamps: true });
    server = await world.startAgain();
    for (const one of shared) {
      expect((await world.read(consumer.client, one, '&verified=true')).status).toBe(200);
    }
    await expect(world.shareAll(citizen)).resolves.toEqual(shared);
    const { code, output } = await command('audit', 'verify');
    expect(code).toBe(0);
    expect(Number(/intact: (\d+) rows/u.exec(output)![1])).toBeGreaterThanOrEqual(Number(rows));
    await expect(command('backup', '--into', join(folder, 'again'))).resolves.toMatchObject({ code: 0 });
    await expect(command('backup', 'verify', join(folder, 'again'))).resolves.toMatchObject({ code: 0 });
  });
});
