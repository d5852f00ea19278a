import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, readdir, rename, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { removeTree } from '../../../../src/server/files/removeTree';

describe('A folder that is removed with all that is in it', (): void => {
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

  it('may be none.', async(): Promise<void> => {
    await rm(folder, { recursive: true });
    await expectGone();
  });

  it('may be as deep as paths can be, and deeper once it is moved.', async(): Promise<void> => {
    for (const name of [ 'folder', 'n'.repeat(250) ]) {
      const count = Math.floor((4090 - folder.length) / (name.length + 1));
      const path = join(folder, ...Array.from({ length: count }, (): string => name));
      await mkdir(path, { recursive: true });
    }
    await expectGone();
  });

  it('takes nothing with it that it is linked to.', async(): Promise<void> => {
    const other = join(root, 'other');
    await mkdir(other);
    await writeFile(join(other, 'file'), 'text');
    await symlink(other, join(folder, 'link'));
    await symlink(join(other, 'none'), join(folder, 'broken'));
    await expectGone();
    await expect(readdir(other)).resolves.toEqual([ 'file' ]);
  });

  it('is removed to the end when the first time was interrupted.', async(): Promise<void> => {
    await mkdir(join(folder, 'a/b'), { recursive: true });
    await rename(folder, join(drafts, 'removed-x'));
    await mkdir(folder);
    await expectGone();
  });
});
