import { existsSync } from 'node:fs';
import { chmod, open, stat } from 'node:fs/promises';
import { dirname, resolve } from 'node:path';
import type BetterSqlite3 from 'better-sqlite3';
import { CamelCasePlugin, Kysely, PostgresDialect, sql } from 'kysely';
import type { Expression, RawBuilder, SqlBool } from 'kysely';
import type { ClientBase } from 'pg';
import { makeFolders } from '../../platform/makeFolders';
import type { Database, Tables } from '../schema';
import { codeOf, messageOf } from '../../platform/errors';
import { CommittedReader } from './CommittedReader';
import { openSqliteFile } from './openSqliteFile';
import { PostgresWaits } from './PostgresWaits';
import { usePrepared } from './prepared';
import { SqliteDialect } from './SqliteDialect';

/** All that differs between SQLite and PostgreSQL. */
export interface Engine {
  name: 'sqlite' | 'postgres';
  /** Column type of text that compares byte by byte, whatever the locale of the database. */
  text: string;
  /**
   * Checks whether a column has one of many values, as a single parameter, so that the text of the query stays the
   * same.
   */
  isAnyOf: (column: string, values: readonly string[]) => Expression<SqlBool>;
  /** Makes that parameter. */
  list: (values: readonly string[]) => unknown;
  /**
   * Waits, within a transaction, until no other process is starting on these records. Absent where transactions begin
   * with the write lock.
   */
  lockStart?: (trx: Database) => Promise<void>;
  /** Runs work while no other node does. Only a database server can be shared by several nodes. */
  inTurn: <T>(db: Database, work: () => Promise<T>) => Promise<T>;
  /** Runs work without limiting its statements, which otherwise fail when the server is silent for long. */
  unboundedly: <T>(work: () => Promise<T>) => Promise<T>;
  /** True when transactions lock single rows; otherwise they begin with the write lock, which excludes all others. */
  rowLocks: boolean;
  /** Checks whether a transaction failed only because of another one, so that it can be repeated. */
  isConflict: (error: unknown) => boolean;
  /**
   * Reads the committed rows of a query without waiting; `undefined` when that is impossible at this moment. Absent
   * where every query waits for a server anyway. Rows that decide on access are cached, and must not be changed.
   */
  readCommitted?: <TRow>(sql: string, values: readonly unknown[], decides: boolean) => TRow[] | undefined;
  /**
   * Returns tables that run a query for many lists of values like `values`: `asked`, whose column `place` numbers the
   * lists from 1, and `found`, the rows for each. The parameter with the given number is the lists as JSON. Absent
   * where sharing a statement saves nothing.
   */
  forMany?: (sql: string, values: readonly unknown[], parameter: number) => string;
  /** Makes a table of the elements of a JSON list, in its column `value`. */
  elementsOf: (json: string) => RawBuilder<unknown>;
}

/** Arbitrary, but must stay the same. */
const startLock = 7_205_759;
const turnLock = startLock + 1;

/** Codes of PostgreSQL. */
export const uniqueViolation = '23505';
export const serializationFailure = '40001';
const deadlockDetected = '40P01';

const sqlite: Engine = {
  name: 'sqlite',
  text: 'text',
  isAnyOf: (column, values): Expression<SqlBool> =>
    sql<SqlBool>`${sql.ref(column)} in (select value from json_each(${JSON.stringify(values)}))`,
  list: (values): string => JSON.stringify(values),
  inTurn: async<T>(...[ , work ]: [Database, () => Promise<T>]): Promise<T> => work(),
  unboundedly: async<T>(work: () => Promise<T>): Promise<T> => work(),
  rowLocks: false,
  isConflict: (): boolean => false,
  elementsOf: (json): RawBuilder<unknown> => sql`json_each(${json})`,
};

/** Holds a lock of the session, which ends with the process, even if it crashes. */
async function holdingTurn<T>(db: Database, waits: PostgresWaits, work: () => Promise<T>): Promise<T> {
  return db.connection().execute(async(connection): Promise<T> => {
    await waits.unboundedly(async(): Promise<unknown> => sql`select pg_advisory_lock(${turnLock})`.execute(connection));
    try {
      return await work();
    } finally {
      await sql`select pg_advisory_unlock(${turnLock})`.execute(connection);
    }
  });
}

function postgresEngine(waits: PostgresWaits): Engine {
  return {
    name: 'postgres',
    text: 'text collate "C"',
    isAnyOf: (column, values): Expression<SqlBool> => sql<SqlBool>`${sql.ref(column)} = any(${values})`,
    list: (values): unknown => values,
    lockStart: async(trx): Promise<void> => {
      await waits.unboundedly(async(): Promise<unknown> =>
        sql`select pg_advisory_xact_lock(${startLock})`.execute(trx));
    },
    inTurn: async<T>(db: Database, work: () => Promise<T>): Promise<T> => holdingTurn(db, waits, work),
    unboundedly: async<T>(work: () => Promise<T>): Promise<T> => waits.unboundedly(work),
    rowLocks: true,
    isConflict: (error): boolean => [ deadlockDetected, serializationFailure ].includes(codeOf(error)),
    forMany,
    elementsOf: (json): RawBuilder<unknown> => sql`jsonb_array_elements(${json}::jsonb)`,
  };
}

/** Replaces each parameter by the element of a list at the same place. */
function forMany(text: string, values: readonly unknown[], parameter: number): string {
  const each = text.replaceAll(/\$(\d+)/gu, (...[ , number ]: string[]): string => {
    const place = Number(number) - 1;
    const value = values[place];
    if (typeof value === 'number') {
      return `cast(asked.value ->> ${place} as bigint)`;
    }
    return Array.isArray(value) ?
      `array(select jsonb_array_elements_text(asked.value -> ${place}))` :
      `(asked.value ->> ${place})`;
  });
  return `jsonb_array_elements($${parameter}::jsonb) with ordinality as asked(value, place) ` +
    `cross join lateral (${each}) as found`;
}

/**
 * Lock on use of the records, together with a number for the schema. Servers and commands share it; exclusive use holds
 * it alone.
 */
const useLock = startLock + 2;
/** Time for the database to notice that a connection was closed. */
const leaveMs = 1000;
/** `cannot_connect_now`: the response to requests is the same as when the database is down. */
const notNow = '57P03';

/** Options of {@link openDatabase}. */
export interface OpenDatabaseOptions {
  /** True when a missing file is an error; otherwise it is created. */
  mustExist?: boolean;
  /** True for exclusive use, until it is closed. */
  alone?: boolean;
}

/** An open database, and the engine it runs on. */
export interface OpenDatabase {
  db: Database;
  engine: Engine;
}

/**
 * Opens the database of the records.
 *
 * @param records - Path of an SQLite file, created with its folder when absent, or a `postgres://` URL.
 * @param options - All optional.
 *
 * @throws Error that names the option when it cannot be opened. It never has the URL, which may include a password.
 */
export async function openDatabase(records: string, options: OpenDatabaseOptions = {}): Promise<OpenDatabase> {
  const { alone = false, mustExist = false } = options;
  if (mustExist && !isPostgresUrl(records) && !existsSync(records)) {
    throw new Error(`--records: there is no file ${resolve(records)}`);
  }
  const opened = isPostgresUrl(records) ? await openPostgres(records, alone) : await openSqlite(records, options);
  // Makes Kysely connect: it does not close a database that it never used.
  await sql`select 1`.execute(opened.db);
  return opened;
}

/**
 * Opens an unused SQLite file for reading only: neither the file nor its folder changes.
 *
 * @param file - Not in WAL mode, such as a backup.
 */
export async function openForReading(file: string): Promise<OpenDatabase> {
  const handle = await openSqliteFile(file, { readonly: true, fileMustExist: true });
  return { db: database(new SqliteDialect(handle)), engine: sqlite };
}

/** Checks whether the records are on a PostgreSQL server instead of in a file. */
export function isPostgresUrl(records: string): boolean {
  return /^postgres(?:ql)?:\/\//u.test(records);
}

/** Message about {@link isForeignUrl}. It does not quote the records, as a URL may have a password. */
export const foreignUrlMessage = '--records must be a file, or a postgres:// URL';

/** Checks for a URL of another kind of database, which could be taken for the name of a file. */
export function isForeignUrl(records: string): boolean {
  return /^[\w+.-]+:\/\//u.test(records) && !isPostgresUrl(records);
}

async function openSqlite(path: string, { alone = false, mustExist = false }: OpenDatabaseOptions):
Promise<OpenDatabase> {
  const file = resolve(path);
  try {
    await makePrivateFile(file);
    await requireOwnLog(file);
    const handle = await openSqliteFile(file, { timeout: alone ? 0 : 5000 });
    try {
      if (mustExist) {
        requireRecords(handle);
      }
      prepare(handle, alone);
    } catch (error: unknown) {
      handle.close();
      throw error;
    }
    if (alone) {
      return { db: database(new SqliteDialect(handle)), engine: sqlite };
    }
    const reader = new CommittedReader(await openSqliteFile(file, { readonly: true, timeout: 0 }));
    return {
      db: database(new SqliteDialect(handle, reader)),
      engine: { ...sqlite, readCommitted: reader.all.bind(reader) },
    };
  } catch (error: unknown) {
    if (alone && codeOf(error).startsWith('SQLITE_BUSY')) {
      throw new Error(`The file ${file} is in use: stop the server first`, { cause: error });
    }
    throw new Error(`--records: cannot open the SQLite file ${file}: ${explainSqlite(error)}`, { cause: error });
  }
}

/**
 * Explains an SQLite error in one line. When npm skipped the install script, the package reports that as a list of
 * paths.
 */
export function explainSqlite(error: unknown): string {
  const message = messageOf(error);
  return message.startsWith('Could not locate the bindings file') ?
    'better-sqlite3 is not compiled, because npm ran no install scripts: npm rebuild better-sqlite3' :
    message;
}

/** Place and value of the byte by which a file in WAL mode differs from others: the version for writing. */
const writeVersionAt = 18;
const withoutLog = 1;

/**
 * Refuses a write-ahead log that other records have left beside a file, as when only the file was restored: SQLite
 * would replay it into these. A file is marked as in WAL mode before its log exists, and a backup never is.
 *
 * @see [Database File Format, The Database Header](https://www.sqlite.org/fileformat.html#the_database_header)
 */
async function requireOwnLog(file: string): Promise<void> {
  const log = `${file}-wal`;
  const left = await stat(log).catch((): undefined => undefined);
  if (left === undefined || left.size === 0) {
    return;
  }
  const handle = await open(file, 'r');
  try {
    const { buffer } = await handle.read({ buffer: Buffer.alloc(1), position: writeVersionAt });
    if (buffer[0] === withoutLog) {
      throw new Error(`${log} belongs to other records, and would change these: move it elsewhere, with the -shm file`);
    }
  } finally {
    await handle.close();
  }
}

/** Checks for records before any pragma changes the file. */
function requireRecords(handle: BetterSqlite3.Database): void {
  if (!handle.prepare(`select 1 from sqlite_master where name = 'migrations'`).get()) {
    throw new Error('there are no records of this service in it');
  }
}

function prepare(handle: BetterSqlite3.Database, alone: boolean): void {
  if (alone) {
    // Set before anything is read: in this mode a connection keeps its lock from the first read until it is closed.
    handle.pragma('locking_mode = EXCLUSIVE');
  }
  handle.pragma('journal_mode = WAL');
  // The dialect waits from here on: SQLite's own wait would block the whole process.
  handle.pragma('busy_timeout = 0');
  handle.pragma('synchronous = FULL');
  handle.pragma('foreign_keys = ON');
  // Overwrites erased rows instead of only unlinking them.
  handle.pragma('secure_delete = ON');
  if (alone) {
    handle.exec('begin immediate; commit');
  }
}

/** Creates an empty file, readable by its owner only, unless it exists. */
export async function makePrivateFile(file: string): Promise<void> {
  if (await stat(file).catch((): undefined => undefined)) {
    return;
  }
  await makeFolders(dirname(file), 0o700);
  await (await open(file, 'a', 0o600)).close();
  await chmod(file, 0o600);
}

async function openPostgres(url: string, alone: boolean): Promise<OpenDatabase> {
  const { default: pg } = await import('pg');
  // Counts and times are 8-byte integers, which pg returns as text; ours all fit a number.
  const types = new pg.TypeOverrides();
  types.setTypeParser(pg.types.builtins.INT8, Number);
  const pool = new pg.Pool({
    connectionString: url,
    types,
    connectionTimeoutMillis: 10_000,
    keepAlive: true,
    // Exclusive use keeps its only connection.
    ...alone ? { max: 1, idleTimeoutMillis: 0 } : { max: 10 },
    // eslint-disable-next-line @typescript-eslint/no-misused-promises -- the pool waits for it
    onConnect: async(client): Promise<void> => takePlace(client, alone),
  });
  const waits = new PostgresWaits();
  // The pool replaces an idle connection that breaks; without a listener the process would end.
  pool.on('error', (): undefined => undefined);
  // Likewise when a connection breaks between two queries of a transaction: the next query reports it.
  pool.on('connect', (client): void => {
    client.on('error', (): undefined => undefined);
    usePrepared(client);
    // Exclusive use has no time limit.
    if (!alone) {
      waits.watch(client);
    }
  });
  try {
    (await pool.connect()).release();
  } catch (error: unknown) {
    await pool.end();
    if (codeOf(error) === notNow) {
      throw error;
    }
    throw new Error(`--records: cannot reach the PostgreSQL server: ${messageOf(error)}`, { cause: error });
  }
  return { db: database(new PostgresDialect({ pool })), engine: postgresEngine(waits) };
}

/**
 * Holds, on every connection and until it is closed, a lock that marks the records as in use, or as in exclusive use.
 */
async function takePlace(client: ClientBase, alone: boolean): Promise<void> {
  const kind = alone ? '' : '_shared';
  const place = `(${useLock}, hashtext(coalesce(current_schema(), '')))`;
  const { rows } = await client.query<{ taken: boolean }>(`select pg_try_advisory_lock${kind}${place} as taken`);
  if (rows[0].taken) {
    return;
  }
  try {
    await client.query(`set lock_timeout = ${leaveMs}`);
    await client.query(`select pg_advisory_lock${kind}${place}`);
    await client.query('reset lock_timeout');
  } catch (error: unknown) {
    const message = alone ?
      'The PostgreSQL database is in use: stop every server first' :
      'The PostgreSQL database is being moved: nothing else can use it now';
    throw Object.assign(new Error(message, { cause: error }), { code: notNow });
  }
}

function database(dialect: SqliteDialect | PostgresDialect): Database {
  return new Kysely<Tables>({ dialect, plugins: [ new CamelCasePlugin() ]});
}

/** Runs work in the current transaction, or else in a new one. */
export async function atomically<T>(db: Database, work: (trx: Database) => Promise<T>): Promise<T> {
  return db.isTransaction ? work(db) : db.transaction().execute(work);
}
