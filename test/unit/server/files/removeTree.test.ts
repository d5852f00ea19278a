import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, readdir, rename, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { removeTree } from '../../../../src/server/files/removeTree';

describe('A folder that is removed with its contents', (): void => {
  let root: string;
  let drafts: string;
  let folder: string;

  beforeEach(async(): Promise<void> => {
    root = await mkdtemp(join(tmpdir(), 'tree-'));
    drafts = join(root, 'a-folder-of-files-that-are-not-whole');
    folder = join(root, 'x');
    await mkdir(drafts);
    await mkdir(folder);
  });

  afterEach(async(): Promise<void> => {
    await rm(root, { recursive: true });
  });

  async function expectGone(): Promise<void> {
    await removeTree(folder, drafts);
    expect(existsSync(folder)).toBe(false);
    await expect(readdir(drafts)).resolves.toEqual([]);
  }

  it('need not exist.', async(): Promise<void> => {
    await rm(folder, { recursive: true });
    await expectGone();
  });

  it('can be as deep as paths can be, or deeper after a move.', async(): Promise<void> => {
    for (const name of [ 'folder', 'n'.repeat(250) ]) {
      const count = Math.floor((4090 - folder.length) / (name.length + 1));
      const path = join(folder, ...Array.from({ length: count }, (): string => name));
      await mkdir(path, { recursive: true });
    }
    await expectGone();
  });

  it('takes nothing with it that it links to.', async(): Promise<void> => {
    const other = join(root, 'other');
    await mkdir(other);
    await writeFile(join(other, 'file'), 'text');
    await symlink(other, join(folder, 'link'));
    await symlink(join(other, 'none'), join(folder, 'broken'));
    await expectGone();
    await expect(readdir(other)).resolves.toEqual([ 'file' ]);
  });

  it('is removed completely after an interruption.', async(): Promise<void> => {
    await mkdir(join(folder, 'a/b'), { recursive: true });
    await rename(folder, join(drafts, 'removed-x'));
    await mkdir(folder);
    await expectGone();
  });
});
