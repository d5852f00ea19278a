import { appendFile, mkdir, mkdtemp, rename, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { FileListings } from '../../../../src/server/files/FileListings';
import { IndexedFileMapper } from '../../../../src/server/files/IndexedFileMapper';
import { letTimePass } from '../../../support/letTimePass';

const base = 'http://localhost:3000/';
const container = { path: `${base}alice/` };

describe('The state of a listing of files', (): void => {
  let root: string;
  let folder: string;
  let now: Date;
  let listings: FileListings;

  beforeEach(async(): Promise<void> => {
    root = await mkdtemp(join(tmpdir(), 'file-listings-'));
    folder = join(root, 'alice');
    await mkdir(join(folder, 'photos'), { recursive: true });
    await writeFile(join(folder, 'note$.txt'), 'one');
    // Long after the last change.
    now = new Date(Date.now() + 60_000);
    listings = new FileListings(new IndexedFileMapper(base, root), (): Date => now);
  });

  afterEach(async(): Promise<void> => {
    await rm(root, { recursive: true });
  });

  async function version(): Promise<string | undefined> {
    return (await listings.findState(container, [ '.acl' ]))?.version;
  }

  it('is the same as long as the folder is unchanged.', async(): Promise<void> => {
    const first = await version();
    await expect(version()).resolves.toBe(first);
    await expect(new FileListings(new IndexedFileMapper(base, root), (): Date => now).findState(container, [ '.acl' ]))
      .resolves.toEqual(expect.objectContaining({ version: first }));
  });

  it('differs after each change of the folder.', async(): Promise<void> => {
    const first = await version();
    letTimePass(folder);
    await writeFile(join(root, 'draft'), 'other');
    await rename(join(root, 'draft'), join(folder, 'note$.txt'));
    const replaced = await version();
    letTimePass(folder);
    await rm(join(folder, 'note$.txt'));
    expect(new Set([ first, replaced, await version() ]).size).toBe(3);
  });

  it('differs after a change of a folder in it.', async(): Promise<void> => {
    const first = await version();
    letTimePass(folder);
    await writeFile(join(folder, 'photos/portrait'), '');
    await expect(version()).resolves.not.toBe(first);
  });

  it('is read again for a folder that has just changed.', async(): Promise<void> => {
    now = (await stat(folder)).ctime;
    const first = await version();
    await appendFile(join(folder, 'note$.txt'), 'more');
    await expect(version()).resolves.not.toBe(first);
  });

  it('does not depend on unlisted files.', async(): Promise<void> => {
    const first = await version();
    await writeFile(join(folder, 'note.acl'), '');
    await expect(version()).resolves.toBe(first);
  });

  it('is unknown without a folder.', async(): Promise<void> => {
    await expect(listings.findState({ path: `${base}bob/` }, [])).resolves.toBeUndefined();
    await expect(listings.findState({ path: `${container.path}note/` }, [])).resolves.toBeUndefined();
  });

  it('has the time of the last change.', async(): Promise<void> => {
    const { modified } = (await listings.findState(container, []))!;
    expect(Math.abs(modified!.getTime() - Date.now())).toBeLessThan(60_000);
    await rm(folder, { recursive: true });
    await mkdir(folder);
    expect((await listings.findState(container, []))?.modified).toBeUndefined();
  });
});
