import type BetterSqlite3 from 'better-sqlite3';

const most = 10;

/** Runs SQLite's checks on pages, indexes and references between rows. */
export function findDamage(file: BetterSqlite3.Database): string[] {
  const pages = file.prepare<[], string>(`pragma integrity_check(${most})`).pluck().all();
  if (pages.some((line): boolean => line !== 'ok')) {
    return pages;
  }
  const rows = file.prepare<[], { table: string; parent: string }>('pragma foreign_key_check').all();
  return rows.slice(0, most)
    .map(({ table, parent }): string => `a row of ${table} refers to a missing row of ${parent}`);
}
