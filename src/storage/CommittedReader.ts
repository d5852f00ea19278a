import type BetterSqlite3 from 'better-sqlite3';

/** A prepared query, and its columns by the names they have in the code. */
interface Prepared {
  statement: BetterSqlite3.Statement;
  columns: string[];
}

/**
 * Reads an SQLite file by a connection of its own: without waiting for anybody's transaction, and without seeing any
 * part of one before it is committed.
 */
export class CommittedReader {
  private readonly prepared = new Map<string, Prepared>();

  /**
   * @param file - Open for reading only, in WAL mode.
   */
  public constructor(private readonly file: BetterSqlite3.Database) {}

  /** The rows of a query; `undefined` when the file is locked at this moment. */
  public all<TRow>(sql: string, values: readonly unknown[]): TRow[] | undefined {
    try {
      const { columns, statement } = this.prepare(sql);
      return (statement.all(...values) as unknown[][]).map((row): TRow => toObject(columns, row) as TRow);
    } catch (error: unknown) {
      if ((error as { code?: string }).code?.startsWith('SQLITE_BUSY')) {
        return undefined;
      }
      throw error;
    }
  }

  public close(): void {
    this.file.close();
  }

  private prepare(sql: string): Prepared {
    let prepared = this.prepared.get(sql);
    if (!prepared) {
      const statement = this.file.prepare(sql).raw();
      prepared = { statement, columns: statement.columns().map(({ name }): string => camelCase(name)) };
      this.prepared.set(sql, prepared);
    }
    return prepared;
  }
}

function toObject(columns: string[], row: unknown[]): Record<string, unknown> {
  const object: Record<string, unknown> = {};
  for (const [ index, column ] of columns.entries()) {
    object[column] = row[index];
  }
  return object;
}

function camelCase(name: string): string {
  const [ first, ...others ] = name.split('_');
  return first + others.map((word): string => word.charAt(0).toUpperCase() + word.slice(1)).join('');
}
