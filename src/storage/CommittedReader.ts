import type BetterSqlite3 from 'better-sqlite3';

/** A prepared query, and its columns by the names they have in the code. */
interface Prepared {
  statement: BetterSqlite3.Statement;
  columns: string[];
}

/**
 * Reads an SQLite file by a connection of its own: without waiting for anybody's transaction, and without seeing any
 * part of one before it is committed.
 *
 * What is asked for without waiting for anything in between, as the look-ups of one request are, is read at one and the
 * same moment: taking and giving back the lock would cost more than the look-up.
 */
export class CommittedReader {
  private readonly prepared = new Map<string, Prepared>();
  private readonly begin: BetterSqlite3.Statement;
  private readonly commit: BetterSqlite3.Statement;

  /**
   * @param file - Open for reading only, in WAL mode.
   */
  public constructor(private readonly file: BetterSqlite3.Database) {
    this.begin = file.prepare('begin');
    this.commit = file.prepare('commit');
  }

  /** The rows of a query; `undefined` when the file is locked at this moment. */
  public all<TRow>(sql: string, values: readonly unknown[]): TRow[] | undefined {
    try {
      const { columns, statement } = this.prepare(sql);
      this.startMoment();
      return (statement.all(...values) as unknown[][]).map((row): TRow => toObject(columns, row) as TRow);
    } catch (error: unknown) {
      if ((error as { code?: string }).code?.startsWith('SQLITE_BUSY')) {
        return undefined;
      }
      throw error;
    }
  }

  /** Reads anew from here on: for after a write of this process, so that it sees its own. */
  public endMoment(): void {
    if (this.file.open && this.file.inTransaction) {
      this.commit.run();
    }
  }

  public close(): void {
    this.file.close();
  }

  private startMoment(): void {
    if (!this.file.inTransaction) {
      this.begin.run();
      // Runs when nothing is left that does not wait for something outside.
      process.nextTick((): void => this.endMoment());
    }
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
