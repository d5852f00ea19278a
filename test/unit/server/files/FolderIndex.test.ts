import { mkdir, readdir, rename, rm, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { FolderIndex } from '../../../../src/server/files/FolderIndex';
import { clockAhead } from '../../../support/clockAhead';
import { letTimePass } from '../../../support/letTimePass';
import { removeFolder, temporaryFolder } from '../../../support/world';

const files = 2000;
let readings = 0;
let failure: Error | undefined;

jest.mock<typeof import('node:fs/promises')>('node:fs/promises', (): typeof import('node:fs/promises') => {
  const actual = jest.requireActual<typeof import('node:fs/promises')>('node:fs/promises');
  return { ...actual, readdir: (async(path: string): Promise<string[]> => {
    readings += 1;
    if (failure) {
      throw failure;
    }
    return actual.readdir(path);
  }) as typeof actual.readdir };
});

describe('FolderIndex', (): void => {
  let root: string;
  let folder: string;

  beforeAll(async(): Promise<void> => {
    root = await temporaryFolder();
    folder = join(root, 'large');
    await mkdir(folder);
    for (let index = 0; index < files; index += 1) {
      await writeFile(join(folder, `${index}$.ttl`), '');
    }
  });

  beforeEach((): void => {
    readings = 0;
  });

  afterAll(async(): Promise<void> => {
    await removeFolder(root);
  });

  it('reads a large folder once, as long as it is unchanged.', async(): Promise<void> => {
    const index = new FolderIndex({ now: clockAhead });
    for (let name = 0; name < files; name += 1) {
      await expect(index.find(folder, `${name}`)).resolves.toBe(`${name}$.ttl`);
    }
    await expect(index.find(folder, 'none')).resolves.toBeUndefined();
    expect(readings).toBe(1);
  });

  it('does not take what cannot be listed now for absent.', async(): Promise<void> => {
    const index = new FolderIndex({ now: clockAhead });
    failure = Object.assign(new Error('EMFILE: too many open files, scandir'), { code: 'EMFILE' });
    try {
      await expect(index.find(folder, '1')).rejects.toBe(failure);
    } finally {
      failure = undefined;
    }
    await expect(index.find(folder, '1')).resolves.toBe('1$.ttl');
    await expect(index.find(join(folder, '1$.ttl'), '1')).resolves.toBeUndefined();
    await expect(index.find(join(folder, 'none'), '1')).resolves.toBeUndefined();
  });

  it('keeps apart names with the same hash, and finds names with marks in them.', async(): Promise<void> => {
    const index = new FolderIndex({ now: clockAhead });
    // FNV-1a gives both the same 32 bits.
    const [ there, missing ] = [ 'costarring', 'liquid' ];
    for (const name of [ there, 'a$.b', '$.c' ]) {
      await writeFile(join(folder, `${name}$.jsonld`), '');
    }
    await index.find(folder, 'none');
    await expect(index.find(folder, there)).resolves.toBe(`${there}$.jsonld`);
    await expect(index.find(folder, missing)).resolves.toBeUndefined();
    await expect(index.find(folder, 'a$.b')).resolves.toBe('a$.b$.jsonld');
    await expect(index.find(folder, 'a')).resolves.toBe('a$.b$.jsonld');
    await expect(index.find(folder, '$.c')).resolves.toBe('$.c$.jsonld');
    await expect(index.find(folder, '')).resolves.toBe('$.c$.jsonld');
    expect(readings).toBe(1);
    for (const name of [ there, 'a$.b', '$.c' ]) {
      await rm(join(folder, `${name}$.jsonld`));
    }
  });

  it('reads nothing to look for a file in the place of a folder that is being created.', async(): Promise<void> => {
    const index = new FolderIndex({ now: clockAhead });
    await index.creating(join(folder, '7'), async(): Promise<void> => {
      await expect(index.find(folder, '7')).resolves.toBeUndefined();
      expect(readings).toBe(0);
      await expect(index.find(folder, '8')).resolves.toBe('8$.ttl');
    });
    await expect(index.find(folder, '7')).resolves.toBe('7$.ttl');
  });

  it('reads it again when it has changed.', async(): Promise<void> => {
    const index = new FolderIndex({ now: clockAhead });
    await index.find(folder, '1');
    letTimePass(folder);
    await rename(join(folder, '1$.ttl'), join(folder, '1$.jsonld'));
    await expect(index.find(folder, '1')).resolves.toBe('1$.jsonld');
    await rename(join(folder, '1$.jsonld'), join(folder, '1$.ttl'));
    expect(readings).toBe(2);
  });

  it('does not trust the time of a folder that has just changed.', async(): Promise<void> => {
    const { ctimeMs } = await stat(folder);
    const index = new FolderIndex({ now: (): Date => new Date(ctimeMs + 50) });
    await index.find(folder, '1');
    await index.find(folder, '1');
    expect(readings).toBe(2);
  });

  it('lets simultaneous callers share a read that began after their call.', async(): Promise<void> => {
    const { ctimeMs } = await stat(folder);
    const index = new FolderIndex({ now: (): Date => new Date(ctimeMs) });
    const found = await Promise.all(Array.from({ length: 100 }, async(_, name): Promise<unknown> =>
      index.find(folder, `${name}`)));
    expect(found).toEqual(Array.from({ length: 100 }, (_, name): string => `${name}$.ttl`));
    expect(readings).toBe(1);
    const first = index.find(folder, '1');
    await Promise.resolve();
    await Promise.resolve();
    const later = Promise.all([ index.find(folder, '2'), index.find(folder, '3') ]);
    await expect(Promise.all([ first, later ])).resolves.toEqual([ '1$.ttl', [ '2$.ttl', '3$.ttl' ]]);
    expect(readings).toBe(3);
  });

  it('evicts the oldest folder if it holds too many files.', async(): Promise<void> => {
    const other = join(root, 'other');
    await mkdir(other, { recursive: true });
    for (const file of await readdir(folder)) {
      await writeFile(join(other, file), '');
    }
    const index = new FolderIndex({ now: clockAhead, maxFiles: files * 1.5 });
    readings = 0;
    await index.find(folder, '1');
    await index.find(other, '1');
    await index.find(other, '1');
    expect(readings).toBe(2);
    await index.find(folder, '1');
    expect(readings).toBe(3);
    const small = new FolderIndex({ now: clockAhead, maxFiles: 10 });
    await small.find(folder, '1');
    await expect(small.find(folder, '1')).resolves.toBe('1$.ttl');
    expect(readings).toBe(5);
  });
});
