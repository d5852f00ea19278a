import type BetterSqlite3 from 'better-sqlite3';
import { BoundedMap } from '../../platform/BoundedMap';
import { codeOf } from '../../platform/errors';

/** A prepared query, and the names of its columns in camelCase. */
interface Prepared {
  statement: BetterSqlite3.Statement<unknown[], unknown[]>;
  columns: string[];
  /** Rows by the values of the query. */
  kept: BoundedMap<string, readonly unknown[]>;
}

/** Maximum results kept for each query. */
const maxKept = 5000;

/**
 * Reads an SQLite file on a connection of its own: it waits for no transaction, and sees nothing uncommitted.
 *
 * Look-ups that run without waiting in between, such as those of one request, share one read transaction, which sees
 * the database as of one moment: starting and ending a transaction costs more than a look-up.
 *
 * Data that decides on access is cached. Each read transaction checks whether anything was committed since the last
 * one, and if so, whether a table that decides on access has changed: then the cache is cleared.
 */
export class CommittedReader {
  private readonly prepared = new Map<string, Prepared>();
  private readonly begin: BetterSqlite3.Statement;
  private readonly commit: BetterSqlite3.Statement;
  private readonly dataVersion: BetterSqlite3.Statement;
  /** Version of the whole file at the last check. */
  private seenData?: unknown;
  /** Version of the tables that decide on access. */
  private seenAccess?: unknown;
  /** True once the cache was checked in this read transaction. */
  private isKeptChecked = false;
  /** True when a read transaction that is over could not be ended. */
  private isOver = false;

  /**
   * @param file - Open for reading only, in WAL mode.
   */
  public constructor(private readonly file: BetterSqlite3.Database) {
    this.begin = file.prepare('begin');
    this.commit = file.prepare('commit');
    this.dataVersion = file.prepare('pragma data_version').pluck();
  }

  /**
   * Returns the rows of a query; `undefined` when the file is locked at this moment.
   *
   * @param sql - The query.
   * @param values - Its parameters.
   * @param decides - True when the query reads only tables that decide on access: its rows are cached, and must not be
   * changed.
   */
  public all<TRow>(sql: string, values: readonly unknown[], decides = false): TRow[] | undefined {
    try {
      const prepared = this.prepare(sql);
      this.startMoment();
      // The text of a query and the type of its rows come from one builder.
      return (decides ? this.keep(prepared, values) : read(prepared, values)) as TRow[];
    } catch (error: unknown) {
      // The check for changes itself may have failed.
      this.endMoment();
      if (codeOf(error).startsWith('SQLITE_BUSY')) {
        return undefined;
      }
      throw error;
    }
  }

  /**
   * Ends the read transaction. Called after this process has written, so that it sees its own writes. When the disk
   * prevents that, the next query ends it, or fails.
   */
  public endMoment(): void {
    try {
      this.end();
    } catch {
      this.isOver = true;
    }
  }

  public close(): void {
    this.file.close();
  }

  private keep(prepared: Prepared, values: readonly unknown[]): readonly unknown[] {
    this.forgetWhatChanged();
    const { kept } = prepared;
    const key = JSON.stringify(values);
    let rows = kept.get(key);
    if (!rows) {
      rows = read(prepared, values);
      kept.set(key, rows);
    }
    return rows;
  }

  private end(): void {
    if (this.file.open && this.file.inTransaction) {
      this.commit.run();
    }
    this.isOver = false;
  }

  private startMoment(): void {
    if (this.isOver) {
      this.end();
    }
    if (!this.file.inTransaction) {
      this.begin.run();
      this.isKeptChecked = false;
      // Runs when all that remains is waiting for something outside of the process.
      process.nextTick((): void => this.endMoment());
    }
  }

  /** Clears the cache when needed. This connection never writes, so `data_version` shows every commit. */
  private forgetWhatChanged(): void {
    const data = this.isKeptChecked ? this.seenData : this.dataVersion.get();
    this.isKeptChecked = true;
    if (data === this.seenData) {
      return;
    }
    const [{ version }] = read(this.prepare('select version from access_version'), []);
    if (version !== this.seenAccess) {
      for (const prepared of this.prepared.values()) {
        prepared.kept = new BoundedMap(maxKept);
      }
    }
    this.seenAccess = version;
    this.seenData = data;
  }

  private prepare(sql: string): Prepared {
    let prepared = this.prepared.get(sql);
    if (!prepared) {
      const statement = this.file.prepare<unknown[], unknown[]>(sql).raw();
      const columns = statement.columns().map(({ name }): string => camelCase(name));
      prepared = { statement, columns, kept: new BoundedMap(maxKept) };
      this.prepared.set(sql, prepared);
    }
    return prepared;
  }
}

function read({ columns, statement }: Prepared, values: readonly unknown[]): Record<string, unknown>[] {
  return statement.all(...values).map((row): Record<string, unknown> => toObject(columns, row));
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
