import { resolve } from 'node:path';
import { codeOf } from '../../platform/errors';
import { RefusedSetting } from '../../platform/RefusedSetting';
import { makePrivateFile } from './engine';
import { openSqliteFile } from './openSqliteFile';

/**
 * Holds the records in an SQLite file for one server, by a lock on a file beside it, which the operating system removes
 * with the process. Commands do not need it.
 *
 * @param records - Path of the SQLite file.
 *
 * @returns Function that gives the records up.
 *
 * @throws RefusedSetting when another server holds them.
 */
export async function holdRecords(records: string): Promise<() => void> {
  const file = resolve(records);
  const lock = `${file}-held`;
  await makePrivateFile(lock);
  const handle = await openSqliteFile(lock, { timeout: 0 });
  try {
    handle.pragma('journal_mode = MEMORY');
    handle.exec('begin exclusive');
  } catch (error: unknown) {
    handle.close();
    throw codeOf(error).startsWith('SQLITE_BUSY') ? inUse(file, error) : error;
  }
  return (): void => {
    handle.close();
  };
}

function inUse(file: string, cause: unknown): RefusedSetting {
  return new RefusedSetting(
    `--records: another server uses ${file}: stop it first, or give it more processes by --workers`,
    { cause },
  );
}
