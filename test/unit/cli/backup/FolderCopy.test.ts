import { mkdir, rm, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { FolderCopy } from '../../../../src/cli/backup/FolderCopy';
import { removeFolder, temporaryFolder } from '../../../support/world';

describe('A copy of a folder', (): void => {
  let folder: string;

  beforeEach(async(): Promise<void> => {
    folder = await temporaryFolder();
    await mkdir(join(folder, 'pods'));
    await mkdir(join(folder, 'disk'));
  });

  afterEach(async(): Promise<void> => removeFolder(folder));

  it('never makes the folder above, whose disk may have been unmounted.', async(): Promise<void> => {
    const copy = new FolderCopy(join(folder, 'pods'), join(folder, 'disk/pods'));
    await copy.pass();
    await rm(join(folder, 'disk'), { recursive: true });
    await mkdir(join(folder, 'pods/emma'));
    await writeFile(join(folder, 'pods/emma/file'), 'text');
    await expect(copy.pass()).rejects.toThrow('ENOENT');
    await expect(stat(join(folder, 'disk'))).rejects.toThrow('ENOENT');
  });
});
