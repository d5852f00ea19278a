import { readFile, rename, stat, utimes, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { FileBytes } from '../../../../src/server/files/FileBytes';
import { removeFolder, temporaryFolder } from '../../../support/world';

const megabyte = 1024 * 1024;

describe('FileBytes', (): void => {
  let folder: string;
  let alice: string;
  let bob: string;
  let now: Date;
  let files: FileBytes;

  beforeEach(async(): Promise<void> => {
    folder = await temporaryFolder();
    alice = join(folder, 'alice');
    bob = join(folder, 'bob');
    await writeFile(alice, 'of alice');
    await writeFile(bob, 'of a bob');
    await utimes(alice, 2, 2);
    now = new Date(Date.now() + 60_000);
    files = new FileBytes((): Date => now);
    await keep(alice);
    await keep(bob);
  });

  afterEach(async(): Promise<void> => removeFolder(folder));

  async function keep(path: string): Promise<void> {
    files.keep(path, { stats: await stat(path, { bigint: true }), bytes: await readFile(path) });
  }

  function text(path: string): string | undefined {
    return files.find(path)?.bytes.toString();
  }

  it('returns the bytes of each file.', (): void => {
    expect([ text(alice), text(bob), text(join(folder, 'nobody')) ]).toEqual([ 'of alice', 'of a bob', undefined ]);
  });

  it('has nothing for another file of the same size, times and path.', async(): Promise<void> => {
    await writeFile(join(folder, 'other'), 'of other');
    await utimes(join(folder, 'other'), 2, 2);
    await rename(join(folder, 'other'), alice);
    expect(text(alice)).toBeUndefined();
    expect(text(bob)).toBe('of a bob');
  });

  it('has nothing for a file whose times were touched, or that is gone.', async(): Promise<void> => {
    await utimes(alice, 1, 1);
    await rename(bob, join(folder, 'gone'));
    expect([ text(alice), text(bob) ]).toEqual([ undefined, undefined ]);
  });

  it('does not cache a file that changed just now, which can change again unnoticed.', async(): Promise<void> => {
    const path = join(folder, 'new');
    await writeFile(path, 'new');
    now = new Date((await stat(path)).ctimeMs + 1999);
    await keep(path);
    expect(text(path)).toBeUndefined();
  });

  it('caches at most 32 MB, evicting the oldest first.', async(): Promise<void> => {
    const stats = await stat(alice, { bigint: true });
    for (let index = 0; index < 32; index += 1) {
      files.keep(join(folder, String(index)), { stats, bytes: Buffer.alloc(megabyte) });
    }
    expect([ text(alice), text(bob) ]).toEqual([ undefined, undefined ]);
    await keep(bob);
    expect(text(bob)).toBe('of a bob');
  });
});
