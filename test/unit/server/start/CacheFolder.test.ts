import { chmod, chown, mkdir, readdir, readFile, rename, stat, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { CacheFolder } from '../../../../src/server/start/CacheFolder';
import { digestOfFiles } from '../../../../src/server/start/fingerprint';
import { PlanCache } from '../../../../src/server/start/PlanCache';
import { openStartCache } from '../../../../src/server/start/startCache';
import { removeFolder, temporaryFolder } from '../../../support/world';

const me = process.geteuid!();

describe('A folder of plans', (): void => {
  let parent: string;
  let path: string;
  let folder: CacheFolder;

  beforeEach(async(): Promise<void> => {
    parent = await temporaryFolder();
    path = join(parent, 'kept');
    folder = new CacheFolder(path, me, true);
  });

  afterEach(async(): Promise<void> => {
    await removeFolder(parent);
  });

  it('returns what was written.', async(): Promise<void> => {
    expect(folder.read('one')).toBeUndefined();
    expect(folder.write('one', 'content\nof two lines', true)).toBe(true);
    expect(folder.read('one')).toBe('content\nof two lines');
    expect(folder.write('one', 'other', true)).toBe(true);
    expect(folder.read('one')).toBe('other');
    expect(folder.read('another')).toBeUndefined();
    // Nothing else is left there.
    await expect(readdir(path)).resolves.toEqual([ 'one.json' ]);
  });

  it('is readable for others only if the content is, and writable for nobody else.', async(): Promise<void> => {
    const umask = process.umask(0);
    try {
      folder.write('open', 'content', true);
      folder.write('closed', 'content', false);
    } finally {
      process.umask(umask);
    }
    const modes = await Promise.all([ '', 'open.json', 'closed.json' ]
      .map(async(name): Promise<number> => (await stat(join(path, name))).mode & 0o777));
    expect(modes).toEqual([ 0o755, 0o644, 0o600 ]);
  });

  it('returns nothing that is damaged.', async(): Promise<void> => {
    folder.write('one', 'content', true);
    const file = join(path, 'one.json');
    const whole = await readFile(file, 'utf8');
    for (const part of [ '', whole.slice(0, -1), whole.slice(1), `${whole} `, whole.split('\n')[0], '\n', 'content' ]) {
      await writeFile(file, part);
      expect(folder.read('one')).toBeUndefined();
    }
    await writeFile(file, whole);
    expect(folder.read('one')).toBe('content');
  });

  it('returns nothing that others could have written.', async(): Promise<void> => {
    folder.write('one', 'content', true);
    const file = join(path, 'one.json');
    for (const place of [ file, path ]) {
      const mode = (await stat(place)).mode & 0o777;
      for (const bit of [ 0o020, 0o002 ]) {
        await chmod(place, mode | bit);
        expect(folder.read('one')).toBeUndefined();
      }
      expect(folder.write('one', 'content', true)).toBe(place === file);
      await chmod(place, mode);
      expect(folder.read('one')).toBe('content');
    }
  });

  it('follows no links.', async(): Promise<void> => {
    folder.write('one', 'content', true);
    await symlink(join(path, 'one.json'), join(path, 'two.json'));
    expect(folder.read('two')).toBeUndefined();
    await rename(path, join(parent, 'moved'));
    await symlink(join(parent, 'moved'), path);
    expect(folder.read('one')).toBeUndefined();
    expect(folder.write('one', 'content', true)).toBe(false);
  });

  it('trusts root, the owner of the code and its own user.', async(): Promise<void> => {
    folder.write('one', 'content', true);
    // Only root can give files away.
    for (const place of me === 0 ? [ join(path, 'one.json'), path ] : []) {
      await chown(place, 12345, 12345);
      expect(folder.read('one')).toBeUndefined();
      expect(new CacheFolder(path, 12345, true).read('one')).toBe('content');
      await chown(place, 0, 0);
    }
    expect(folder.read('one')).toBe('content');
  });

  it('if not beside the code, depends on the folders above.', async(): Promise<void> => {
    const away = new CacheFolder(join(parent, 'a/b/kept'), me, false);
    expect(away.write('one', 'content', true)).toBe(true);
    expect(away.read('one')).toBe('content');
    await chmod(join(parent, 'a'), 0o777);
    expect(away.read('one')).toBeUndefined();
    expect(away.write('one', 'content', true)).toBe(false);
    // As in the folder for temporary files, nobody can replace another user's folder.
    await chmod(join(parent, 'a'), 0o1777);
    expect(away.read('one')).toBe('content');
  });

  it('is not used if it cannot be created or written.', async(): Promise<void> => {
    expect(new CacheFolder(join(parent, 'absent/kept'), me, true).write('one', 'content', true)).toBe(false);
    await writeFile(join(parent, 'file'), '');
    expect(new CacheFolder(join(parent, 'file'), me, true).write('one', 'content', true)).toBe(false);
    expect(new CacheFolder('/proc/kept', me, true).write('one', 'content', true)).toBe(false);
    expect(new CacheFolder('/proc/kept', me, true).read('one')).toBeUndefined();
  });

  it('keeps the newest thirty.', async(): Promise<void> => {
    for (let i = 0; i < 35; i += 1) {
      folder.write(`entry${i}`, 'content', true);
    }
    await expect(readdir(path)).resolves.toHaveLength(30);
    expect(folder.read('entry34')).toBe('content');
  });

  describe('for plans', (): void => {
    const plan = { instances: [], roots: {}, singleThreaded: []};
    let file: string;
    let cache: PlanCache;

    beforeEach(async(): Promise<void> => {
      file = join(parent, 'config.json');
      await writeFile(file, 'configuration');
      cache = new PlanCache([ new CacheFolder('/proc/kept', me, true), folder ]);
    });

    it('returns one while its files are unchanged.', async(): Promise<void> => {
      expect(cache.keep([ 'sources' ], plan, [ file, file ], Date.now() + 60_000)).toBe(true);
      expect(cache.findPlan([ 'sources' ])).toEqual(plan);
      expect(cache.findPlan([ 'other sources' ])).toBeUndefined();
      await writeFile(file, 'Configuration');
      expect(cache.findPlan([ 'sources' ])).toBeUndefined();
      await writeFile(file, 'configuration');
      expect(cache.findPlan([ 'sources' ])).toEqual(plan);
      await rename(file, `${file}.old`);
      expect(cache.findPlan([ 'sources' ])).toBeUndefined();
    });

    it('keeps none whose files changed while they were read.', async(): Promise<void> => {
      expect(cache.keep([ 'sources' ], plan, [ file ], Date.now() - 60_000)).toBe(false);
      expect(cache.findPlan([ 'sources' ])).toBeUndefined();
    });

    it('hides them from users who may not read the configuration.', async(): Promise<void> => {
      await chmod(file, 0o640);
      cache.keep([ 'sources' ], plan, [ file ], Date.now() + 60_000);
      const [ name ] = await readdir(path);
      expect((await stat(join(path, name))).mode & 0o777).toBe(0o600);
    });

    it('distinguishes where one file ends and the next begins.', async(): Promise<void> => {
      const other = join(parent, 'other.json');
      await writeFile(file, 'ab');
      await writeFile(other, 'c');
      const digest = digestOfFiles([ file, other ]);
      await writeFile(file, 'a');
      await writeFile(other, 'bc');
      expect(digestOfFiles([ file, other ])).not.toBe(digest);
    });
  });

  it('lies beside the package, or where the environment says.', async(): Promise<void> => {
    const plan = { instances: [], roots: {}, singleThreaded: []};
    const root = join(parent, 'node_modules/@scope/package');
    await mkdir(root, { recursive: true });
    const file = join(root, 'package.json');
    await writeFile(file, '{}');
    openStartCache(root, {}).keep([], plan, [ file ], Date.now() + 60_000);
    await expect(readdir(join(parent, 'node_modules/.css-data-sharing'))).resolves.toHaveLength(1);
    openStartCache(root, { DATA_SHARING_START_CACHE: path }).keep([], plan, [ file ], Date.now() + 60_000);
    await expect(readdir(path)).resolves.toHaveLength(1);
    expect(openStartCache(root, { DATA_SHARING_START_CACHE: 'off' }).findPlan([])).toBeUndefined();
    expect(openStartCache(root, {}).findPlan([])).toEqual(plan);
    expect((): unknown => openStartCache(root, { DATA_SHARING_START_CACHE: 'relative' }))
      .toThrow('DATA_SHARING_START_CACHE must be an absolute path, or off');
  });
});
