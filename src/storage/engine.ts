import { existsSync } from 'node:fs';
import { chmod, mkdir, open, stat } from 'node:fs/promises';
import { dirname, resolve } from 'node:path';
import { CamelCasePlugin, Kysely, PostgresDialect, sql } from 'kysely';
import type { Expression, SqlBool } from 'kysely';
import { CommittedReader } from './CommittedReader';
import type { Database, Tables } from './schema';
import { SqliteDialect } from './SqliteDialect';

/** What is not the same on SQLite and PostgreSQL. All of it is here. */
export interface Engine {
  name: 'sqlite' | 'postgres';
  /** Column type of text that compares byte by byte, whatever the locale of the database. */
  text: string;
  /** Whether a column is one of many values: one parameter, so that the query's text stays the same. */
  isAnyOf: (column: string, values: readonly string[]) => Expression<SqlBool>;
  /** That one parameter. */
  list: (values: readonly string[]) => unknown;
  /**
   * Within a transaction: waits until no other process is starting on these records.
   * Absent where transactions begin with the write lock.
   */
  lockStart?: (trx: Database) => Promise<void>;
  /** Runs work while no other node does. Several nodes need a database that all reach: elsewhere there is one. */
  inTurn: <T>(db: Database, work: () => Promise<T>) => Promise<T>;
  /** Whether transactions lock rows, one by one. Else they begin with the write lock, which excludes all others. */
  rowLocks: boolean;
  /** Whether a transaction failed only because of another one, so that it can be run again. */
  isConflict: (error: unknown) => boolean;
  /**
   * Rows of a query as last committed, at once; `undefined` when that is not possible at this moment.
   * Absent where every query waits for a server anyway.
   */
  readCommitted?: <TRow>(sql: string, values: readonly unknown[]) => TRow[] | undefined;
}

/** Any number will do, as long as it stays the same. */
const startLock = 7_205_759;
const turnLock = startLock + 1;

const sqlite: Engine = {
  name: 'sqlite',
  text: 'text',
  isAnyOf: (column, values): Expression<SqlBool> =>
    sql<SqlBool>`${sql.ref(column)} in (select value from json_each(${JSON.stringify(values)}))`,
  list: (values): string => JSON.stringify(values),
  inTurn: async<T>(...[ , work ]: [Database, () => Promise<T>]): Promise<T> => work(),
  rowLocks: false,
  isConflict: (): boolean => false,
};

/** The lock is one of the session: it ends with the process, whatever happens to that. */
async function holdingTurn<T>(db: Database, work: () => Promise<T>): Promise<T> {
  return db.connection().execute(async(connection): Promise<T> => {
    await sql`select pg_advisory_lock(${turnLock})`.execute(connection);
    try {
      return await work();
    } finally {
      await sql`select pg_advisory_unlock(${turnLock})`.execute(connection);
    }
  });
}

const postgres: Engine = {
  name: 'postgres',
  text: 'text collate "C"',
  isAnyOf: (column, values): Expression<SqlBool> => sql<SqlBool>`${sql.ref(column)} = any(${values})`,
  list: (values): unknown => values,
  lockStart: async(trx): Promise<void> => {
    await sql`select pg_advisory_xact_lock(${startLock})`.execute(trx);
  },
  inTurn: holdingTurn,
  rowLocks: true,
  // Deadlock_detected, serialization_failure
  isConflict: (error): boolean => [ '40P01', '40001' ].includes((error as { code?: string }).code ?? ''),
};

/** An open database, and what is particular to it. */
export interface OpenDatabase {
  db: Database;
  engine: Engine;
}

/**
 * Opens the database of the records.
 *
 * @param records - Path of an SQLite file, made with its folder when absent, or a `postgres://` URL.
 * @param mustExist - Whether an absent file is refused instead.
 *
 * @throws Error that names the option when it cannot be opened, and never the URL: there may be a password in it.
 */
export async function openDatabase(records: string, mustExist = false): Promise<OpenDatabase> {
  if (mustExist && !isPostgresUrl(records) && !existsSync(records)) {
    throw new Error(`--records: there is no file ${resolve(records)}`);
  }
  return isPostgresUrl(records) ? openPostgres(records) : openSqlite(records);
}

/** Whether the records are on a PostgreSQL server, and not in a file. */
export function isPostgresUrl(records: string): boolean {
  return /^postgres(?:ql)?:\/\//u.test(records);
}

async function openSqlite(path: string): Promise<OpenDatabase> {
  const file = resolve(path);
  try {
    await makePrivateFile(file);
    const sqlite3 = await import('better-sqlite3');
    /* eslint-disable new-cap -- the module's only export */
    const handle = new sqlite3.default(file, { timeout: 5000 });
    handle.pragma('journal_mode = WAL');
    // From here on the dialect waits: SQLite itself would hold up the whole process.
    handle.pragma('busy_timeout = 0');
    handle.pragma('synchronous = FULL');
    handle.pragma('foreign_keys = ON');
    // What is erased is overwritten, not only unlinked.
    handle.pragma('secure_delete = ON');
    const reader = new CommittedReader(new sqlite3.default(file, { readonly: true, timeout: 0 }));
    return {
      db: database(new SqliteDialect(handle, reader)),
      engine: { ...sqlite, readCommitted: <TRow>(text: string, values: readonly unknown[]): TRow[] | undefined =>
        reader.all<TRow>(text, values) },
    };
  } catch (error: unknown) {
    throw new Error(`--records: cannot open the SQLite file ${file}: ${(error as Error).message}`, { cause: error });
  }
}

async function makePrivateFile(file: string): Promise<void> {
  if (await stat(file).catch((): undefined => undefined)) {
    return;
  }
  await mkdir(dirname(file), { recursive: true, mode: 0o700 });
  await (await open(file, 'a', 0o600)).close();
  await chmod(file, 0o600);
}

async function openPostgres(url: string): Promise<OpenDatabase> {
  const { default: pg } = await import('pg');
  // Counts and moments are 8-byte integers, which pg gives as text; ours all fit a number.
  const types = new pg.TypeOverrides();
  types.setTypeParser(pg.types.builtins.INT8, Number);
  const pool = new pg.Pool({ connectionString: url, types, connectionTimeoutMillis: 10_000, max: 10 });
  // An idle connection that breaks is replaced by the pool; without a listener it would end the process.
  pool.on('error', (): undefined => undefined);
  // The same of one that is in use, between two queries of a transaction: the next query says what happened.
  pool.on('connect', (client): void => {
    client.on('error', (): undefined => undefined);
  });
  try {
    (await pool.connect()).release();
  } catch (error: unknown) {
    await pool.end();
    throw new Error(`--records: cannot reach the PostgreSQL server: ${(error as Error).message}`, { cause: error });
  }
  return { db: database(new PostgresDialect({ pool })), engine: postgres };
}

function database(dialect: SqliteDialect | PostgresDialect): Database {
  return new Kysely<Tables>({ dialect, plugins: [ new CamelCasePlugin() ]});
}

/**
 * Runs work in the transaction it is called in, or else in one of its own.
 */
export async function atomically<T>(db: Database, work: (trx: Database) => Promise<T>): Promise<T> {
  return db.isTransaction ? work(db) : db.transaction().execute(work);
}
