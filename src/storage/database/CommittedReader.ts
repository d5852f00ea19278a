import type BetterSqlite3 from 'better-sqlite3';
import { BoundedMap } from '../../platform/BoundedMap';
import { codeOf } from '../../platform/errors';

/** A prepared query, and its columns by the names they have in the code. */
interface Prepared {
  statement: BetterSqlite3.Statement<unknown[], unknown[]>;
  columns: string[];
  /** Rows by the values they were asked for with. */
  kept: BoundedMap<string, readonly unknown[]>;
}

/** Results kept of one query. */
const mostKept = 5000;

/**
 * Reads an SQLite file by a connection of its own: without waiting for anybody's transaction, and without seeing any
 * part of one before it is committed.
 *
 * Look-ups without a wait in between, as those of one request, are of one moment: taking and releasing the lock costs
 * more than a look-up.
 *
 * Data that decides on access is kept. Each moment checks whether anything was committed since, and if so, whether that
 * changed a table that decides on access: then all of it is read anew.
 */
export class CommittedReader {
  private readonly prepared = new Map<string, Prepared>();
  private readonly begin: BetterSqlite3.Statement;
  private readonly commit: BetterSqlite3.Statement;
  private readonly dataVersion: BetterSqlite3.Statement;
  /** Of the whole file, as of the last look. */
  private seenData?: unknown;
  /** Of what decides on access. */
  private seenAccess?: unknown;
  /** At this moment. */
  private isKeptChecked = false;

  /**
   * @param file - Open for reading only, in WAL mode.
   */
  public constructor(private readonly file: BetterSqlite3.Database) {
    this.begin = file.prepare('begin');
    this.commit = file.prepare('commit');
    this.dataVersion = file.prepare('pragma data_version').pluck();
  }

  /**
   * The rows of a query; `undefined` when the file is locked at this moment.
   *
   * @param sql - The query.
   * @param values - Its parameters.
   * @param decides - Whether it asks nothing but the tables that decide on access: its rows are kept, and not to be
   * changed.
   */
  public all<TRow>(sql: string, values: readonly unknown[], decides = false): TRow[] | undefined {
    try {
      const prepared = this.prepare(sql);
      this.startMoment();
      // The text of a query and the type of its rows come from one builder.
      return (decides ? this.keep(prepared, values) : read(prepared, values)) as TRow[];
    } catch (error: unknown) {
      // It may have failed while it was looked at what has changed.
      this.endMoment();
      if (codeOf(error).startsWith('SQLITE_BUSY')) {
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

  private startMoment(): void {
    if (!this.file.inTransaction) {
      this.begin.run();
      this.isKeptChecked = false;
      // Runs when nothing is left that does not wait for something outside.
      process.nextTick((): void => this.endMoment());
    }
  }

  /** Another connection's commit shows in the version of the data; no table is written by this one. */
  private forgetWhatChanged(): void {
    const data = this.isKeptChecked ? this.seenData : this.dataVersion.get();
    this.isKeptChecked = true;
    if (data === this.seenData) {
      return;
    }
    const [{ version }] = read(this.prepare('select version from access_version'), []);
    if (version !== this.seenAccess) {
      for (const prepared of this.prepared.values()) {
        prepared.kept = new BoundedMap(mostKept);
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
      prepared = { statement, columns, kept: new BoundedMap(mostKept) };
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
