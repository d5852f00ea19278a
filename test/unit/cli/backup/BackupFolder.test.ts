import { mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { BackupNote } from '../../../../src/cli/backup/BackupFolder';
import { BackupFolder, draftFile, noteFile } from '../../../../src/cli/backup/BackupFolder';

describe('The folder of a backup', (): void => {
  let root: string;

  beforeEach(async(): Promise<void> => {
    root = await mkdtemp(join(tmpdir(), 'backup-folder-'));
  });

  afterEach(async(): Promise<void> => rm(root, { recursive: true }));

  it('is of one backup only, when several begin at the same time.', async(): Promise<void> => {
    const path = join(root, 'new/backup');
    const outcomes = await makeAtOnce([ path, path ]);
    expect(outcomes).toEqual([ expect.stringMatching(/is not empty/u), 'made' ]);
    await expect(readdir(path)).resolves.toEqual([ draftFile ]);
  });

  it('may have parents that another backup makes.', async(): Promise<void> => {
    await expect(makeAtOnce([ join(root, 'new/one'), join(root, 'new/two') ])).resolves.toEqual([ 'made', 'made' ]);
  });

  it('is not taken from a backup that ended meanwhile.', async(): Promise<void> => {
    const path = join(root, 'backup');
    const folder = await BackupFolder.make(path);
    await folder.complete({} as BackupNote);
    await writeFile(join(path, 'records.sqlite'), '');
    await expect(makeAtOnce([ path ])).resolves.toEqual([ expect.stringMatching(/is not empty/u) ]);
    expect((await readdir(path)).sort()).toEqual([ noteFile, 'records.sqlite' ]);
  });
});

/** Begins backups at the same time; returns their outcomes, sorted. */
async function makeAtOnce(paths: string[]): Promise<string[]> {
  const outcomes = await Promise.allSettled(paths.map(async(path): Promise<BackupFolder> => BackupFolder.make(path)));
  return outcomes.map((outcome): string => outcome.status === 'rejected' ? String(outcome.reason) : 'made').sort();
}
