import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { readSettingFile } from '../../../src/platform/readSettingFile';
import { RefusedSetting } from '../../../src/platform/RefusedSetting';

describe('A file that a setting names', (): void => {
  let folder: string;

  beforeEach(async(): Promise<void> => {
    folder = await mkdtemp(join(tmpdir(), 'setting-'));
  });

  afterEach(async(): Promise<void> => rm(folder, { recursive: true }));

  it('is read as UTF-8.', async(): Promise<void> => {
    await writeFile(join(folder, 'sources.json'), '"één"');
    await expect(readSettingFile('--sources', join(folder, 'sources.json'))).resolves.toBe('"één"');
  });

  it('is refused by setting, path and reason.', async(): Promise<void> => {
    const missing = join(folder, 'none.json');
    const [ file, none ] = await Promise.all([ folder, missing ].map(
      async(path): Promise<unknown> => readSettingFile('--sources', path).catch((error: unknown): unknown => error),
    ));
    expect(file).toEqual(new RefusedSetting(`--sources: ${folder} cannot be read: it is a folder, not a file`));
    expect(none).toEqual(new RefusedSetting(`--sources: ${missing} cannot be read (ENOENT)`));
    expect(none).toBeInstanceOf(RefusedSetting);
    expect(none).toHaveProperty('cause.code', 'ENOENT');
  });
});
