import { mkdir, stat, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { makeFolders, makeWritableFolderSync } from '../../../src/platform/makeFolders';
import { openDatabase } from '../../../src/storage/database/engine';
import { removeFolder, temporaryFolder } from '../../support/world';

describe('Folders', (): void => {
  let folder: string;

  beforeEach(async(): Promise<void> => {
    folder = await temporaryFolder();
  });

  afterEach(async(): Promise<void> => removeFolder(folder));

  it('are created with missing parents, and the topmost created one is returned.', async(): Promise<void> => {
    await expect(makeFolders(join(folder, 'a/b/c'), 0o700)).resolves.toBe(join(folder, 'a'));
    expect((await stat(join(folder, 'a/b/c'))).mode & 0o777).toBe(0o700);
    await expect(makeFolders(join(folder, 'a/b/d'))).resolves.toBe(join(folder, 'a/b/d'));
    await expect(makeFolders(join(folder, 'a/b'))).resolves.toBeUndefined();
  });

  it('can be created by several at once.', async(): Promise<void> => {
    const path = join(folder, 'a/b/c/d');
    await Promise.all(Array.from({ length: 8 }, async(): Promise<unknown> => makeFolders(path)));
    expect((await stat(path)).isDirectory()).toBe(true);
  });

  it('are created before a call returns, and have to be folders.', async(): Promise<void> => {
    const path = join(folder, 'a/b');
    makeWritableFolderSync(path);
    makeWritableFolderSync(path);
    expect((await stat(path)).isDirectory()).toBe(true);
    await mkdir(join(folder, 'real'));
    await symlink(join(folder, 'real'), join(folder, 'link'));
    makeWritableFolderSync(join(folder, 'link/below'));
    await writeFile(join(folder, 'file'), '');
    await symlink(join(folder, 'absent'), join(folder, 'dangling'));
    expect((): void => makeWritableFolderSync('/proc/none/below')).toThrow('ENOENT');
    expect((): void => makeWritableFolderSync(join(folder, 'file'))).toThrow('ENOTDIR');
    expect((): void => makeWritableFolderSync(join(folder, 'file/below'))).toThrow('ENOTDIR');
    expect((): void => makeWritableFolderSync(join(folder, 'dangling'))).toThrow('ENOENT');
    expect((): void => makeWritableFolderSync(join(folder, 'dangling/below'))).toThrow('ENOENT');
  });

  it('are not created in a read-only place, below a file, or with too long a name.', async(): Promise<void> => {
    await expect(makeFolders('/proc/none/below')).rejects.toThrow('ENOENT');
    await writeFile(join(folder, 'file'), '');
    await expect(makeFolders(join(folder, 'file/below/it'))).rejects.toThrow('ENOTDIR');
    await expect(makeFolders(join(folder, 'x'.repeat(300)))).rejects.toThrow('ENAMETOOLONG');
    await expect(openDatabase('/proc/none/records.sqlite')).rejects.toThrow('--records: cannot open the SQLite file');
  });
});
