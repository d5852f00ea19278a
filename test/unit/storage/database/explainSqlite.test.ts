import { explainSqlite } from '../../../../src/storage/database/engine';

describe('An error of SQLite', (): void => {
  it('explains in one line that npm skipped the script that compiles it.', (): void => {
    const error = new Error('Could not locate the bindings file. Tried:\n → /a/better_sqlite3.node\n → /b');
    expect(explainSqlite(error)).toMatch(/^better-sqlite3 is not compiled.*: npm rebuild better-sqlite3$/u);
  });

  it('is unchanged otherwise.', (): void => {
    expect(explainSqlite(new Error('file is not a database'))).toBe('file is not a database');
  });
});
