import type BetterSqlite3 from 'better-sqlite3';

/** Opens an SQLite file. The compiled module is loaded only when a file is opened: PostgreSQL needs none. */
export async function openSqliteFile(file: string, options?: BetterSqlite3.Options): Promise<BetterSqlite3.Database> {
  const sqlite3 = await import('better-sqlite3');
  // eslint-disable-next-line new-cap -- the module's only export
  return new sqlite3.default(file, options);
}
