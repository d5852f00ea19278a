import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { DataSharingRecords } from '../../../src/wiring/DataSharingRecords';
import { removeFolder, temporaryFolder } from '../../support/world';

describe('Records', (): void => {
  let folder: string;

  beforeEach(async(): Promise<void> => {
    folder = await temporaryFolder();
  });

  afterEach(async(): Promise<void> => {
    await removeFolder(folder);
  });

  it.each([ 'mysql://db.internal/records', 'sqlite:///srv/records.sqlite', 'pg://secret@db.internal/records' ])(
    'at a URL of another kind are refused, not made in a file of that name: %s.',
    async(records): Promise<void> => {
      const keys = join(folder, 'keys');
      const opened = new DataSharingRecords({
        records,
        keys,
        rootFilePath: join(folder, 'pods'),
        baseUrl: 'http://localhost:3000/',
        workers: 1,
      });
      await expect(opened.handle()).rejects.toThrow(/^--records must be a file, or a postgres:\/\/ URL$/u);
      expect(existsSync(keys)).toBe(false);
    },
  );
});
