import { join } from 'node:path';
import { setImmediate } from 'node:timers/promises';
import BetterSqlite3 from 'better-sqlite3';
import { CommittedReader } from '../../../../src/storage/database/CommittedReader';
import { removeFolder, temporaryFolder } from '../../../support/world';

describe('A reader of committed rows', (): void => {
  let folder: string;
  let writer: BetterSqlite3.Database;
  let reader: CommittedReader;
  let failure: Error | undefined;

  beforeEach(async(): Promise<void> => {
    folder = await temporaryFolder();
    const file = join(folder, 'records.sqlite');
    writer = new BetterSqlite3(file);
    writer.pragma('journal_mode = WAL');
    writer.exec('create table numbers (number integer); insert into numbers values (1)');
    reader = new CommittedReader(withFailingCommits(new BetterSqlite3(file, { readonly: true })));
  });

  afterEach(async(): Promise<void> => {
    failure = undefined;
    reader.close();
    writer.close();
    await removeFolder(folder);
  });

  /** Makes the ends of transactions fail as on a disk that fails. */
  function withFailingCommits(file: BetterSqlite3.Database): BetterSqlite3.Database {
    const prepare = file.prepare.bind(file);
    file.prepare = ((sql: string): unknown => {
      const statement = prepare(sql);
      return sql === 'commit' ? { run: (): unknown => end(statement) } : statement;
    }) as typeof file.prepare;
    return file;
  }

  function end(statement: BetterSqlite3.Statement): unknown {
    if (failure) {
      throw failure;
    }
    return statement.run();
  }

  function numbers(): unknown[] | undefined {
    return reader.all<{ number: number }>('select number from numbers', [])?.map(({ number }): number => number);
  }

  it('whose transaction cannot be ended neither ends the process nor shows old rows.', async(): Promise<void> => {
    expect(numbers()).toEqual([ 1 ]);
    failure = Object.assign(new Error('disk I/O error'), { code: 'SQLITE_IOERR' });
    // The transaction ends by itself.
    await setImmediate();
    writer.exec('update numbers set number = 2');
    expect(numbers).toThrow(failure);
    expect((): void => reader.endMoment()).not.toThrow();
    failure = undefined;
    expect(numbers()).toEqual([ 2 ]);
  });
});
