import { createHash } from 'node:crypto';
import { sql } from 'kysely';
import type { RawBuilder } from 'kysely';
import type { Clock } from '../../platform/clock';
import { namesOf } from '../../platform/lists';
import type { OpenDatabase } from '../database/engine';
import { findUnfinished, markFinished, markUnfinished, migrate, nothingYet } from '../migrate';
import type { Database, Tables } from '../schema';

type Row = Record<string, unknown>;

/** Tables that are not copied: those of one engine only, or about the database itself. */
type TableApart =
  'accessVersion' | 'duties' | 'keyValues' | 'migrations' | 'podChunks' | 'podResources' | 'sweeps';

/** All other tables, with the columns that order their rows. A table comes before those that refer to it. */
const keys: Record<Exclude<keyof Tables, TableApart>, readonly string[]> = {
  keyFingerprints: [ 'file' ],
  currentKeys: [ 'name' ],
  serverSecrets: [ 'id' ],
  endedTokens: [ 'subject' ],
  invitations: [ 'digest' ],
  citizens: [ 'id' ],
  podTombstones: [ 'podUrl' ],
  podOwners: [ 'podUrl', 'webId' ],
  expectedPods: [ 'podUrl' ],
  podSearches: [ 'id' ],
  erasures: [ 'citizenId' ],
  contractUses: [ 'contractId' ],
  suspensions: [ 'name' ],
  shares: [ 'id' ],
  shareIntents: [ 'id' ],
  statusLists: [ 'id' ],
  statusEntries: [ 'listId', 'position' ],
  accessGrants: [ 'id' ],
  grantResources: [ 'grantId', 'resource' ],
  grantPurposes: [ 'grantId', 'purpose' ],
  dataCopies: [ 'id' ],
  eventFeeds: [ 'dataUser' ],
  events: [ 'dataUser', 'number' ],
  subscriptions: [ 'id' ],
  guesses: [ 'subjectIndex', 'callerIndex', 'numberIndex' ],
  proofs: [ 'caller', 'jti' ],
  planVersions: [ 'id' ],
  planUnas: [ 'id' ],
  planUnaZones: [ 'id' ],
  planZoneGeometries: [ 'id' ],
  planPdaZones: [ 'id' ],
  planOverlays: [ 'id' ],
  planRequests: [ 'id' ],
  planRequestZones: [ 'requestId', 'zoneId' ],
  planRequestPdas: [ 'requestId', 'organisationId' ],
  planPackages: [ 'id' ],
  planJobs: [ 'id' ],
  auditSubjects: [ 'citizenId' ],
  auditKeys: [ 'id' ],
  auditRows: [ 'sequence' ],
  activity: [ 'sequence' ],
  auditHead: [ 'id' ],
};
const tables = namesOf(keys)
  .map((table): [ table: keyof typeof keys, key: readonly string[] ] => [ table, keys[table] ]);
/** The one table that has rows in empty records. */
const madeWithSchema = 'currentKeys';

const rowsAtOnce = 500;
/** Rows between two reports of progress. */
const rowsPerLine = 50_000;

/**
 * Copies records from one database to another, on whichever engines, row by row and unchanged.
 *
 * Rows are copied in the order of their keys, some hundred at a time, so that an interrupted copy has the first part of
 * each table and the next run continues after it. Nothing else opens the target until {@link finish}.
 */
export class RecordsCopy {
  /**
   * @param from - Opened for exclusive use.
   * @param to - Opened for exclusive use.
   * @param report - Receives reports of progress.
   * @param now - Clock.
   */
  public constructor(
    private readonly from: OpenDatabase,
    private readonly to: OpenDatabase,
    private readonly report: (line: string) => void,
    private readonly now: Clock,
  ) {}

  /**
   * Claims the target for this copy: it must be empty, or an unfinished copy of the same records.
   *
   * @param isRestEmpty - Checks that the target has nothing besides the records.
   * @param note - Notes the copy in the original records before the first row is copied; not called when a copy
   * continues.
   *
   * @returns False when an earlier run has finished the copy.
   *
   * @throws Error when the target has anything else.
   */
  public async begin(isRestEmpty: () => Promise<boolean>, note: () => Promise<void>): Promise<boolean> {
    const original = await fingerprint(this.from.db);
    const unfinished = await findUnfinished(this.to);
    if (unfinished !== undefined && unfinished !== nothingYet) {
      if (unfinished !== original) {
        throw new Error('The target is an unfinished copy of other records, or of an earlier state of these: empty it');
      }
      return true;
    }
    if (unfinished === undefined) {
      await migrate(this.to, this.now, true);
    }
    if (await isEmpty(this.to.db)) {
      if (!await isRestEmpty()) {
        throw new Error('There are pods or accounts at the target: it must be empty');
      }
      await note();
      const noted = await fingerprint(this.from.db);
      await this.to.db.transaction().execute(async(trx): Promise<void> => {
        const target = { ...this.to, db: trx };
        await trx.deleteFrom(madeWithSchema).execute();
        await markFinished(target);
        await markUnfinished(target, noted, this.now);
      });
      return true;
    }
    if (await fingerprint(this.to.db) === original) {
      return false;
    }
    throw new Error('There are other records at the target: it must be empty');
  }

  /** Copies the rows that the target does not have yet. */
  public async copy(): Promise<void> {
    for (const [ table, key ] of tables) {
      let after = await readLast(this.to.db, table, key);
      let rows: Row[];
      let count = 0;
      do {
        rows = await readRows(this.from.db, table, key, after);
        await insert(this.to.db, table, rows);
        after = rows.at(-1);
        count += rows.length;
        if (count > 0 && (rows.length < rowsAtOnce || count % rowsPerLine === 0)) {
          this.report(`${table}: ${count} rows copied`);
        }
      } while (rows.length === rowsAtOnce);
    }
  }

  /**
   * Compares both sides row by row.
   *
   * @returns The number of rows.
   *
   * @throws Error that names the first table that differs.
   */
  public async compare(): Promise<number> {
    let count = 0;
    for (const [ table, key ] of tables) {
      const [ from, to ] = [ await summarise(this.from.db, table, key), await summarise(this.to.db, table, key) ];
      if (from.digest !== to.digest) {
        throw new Error(`The table ${table} differs between the two sides (${from.rows} and ${to.rows} rows): ` +
          'empty the target and start again');
      }
      count += from.rows;
    }
    return count;
  }

  /** Releases the target to servers. */
  public async finish(): Promise<void> {
    await markFinished(this.to);
  }
}

/** Identifies records and their state: nearly every change appends to the audit chain. */
async function fingerprint(db: Database): Promise<string> {
  const head = await db.selectFrom('auditHead').select([ 'sequence', 'mac' ]).executeTakeFirst();
  const keys = await db.selectFrom('keyFingerprints').select([ 'file', 'fingerprint' ]).orderBy('file').execute();
  return createHash('sha256').update(JSON.stringify([ head, keys ])).digest('hex');
}

async function isEmpty(db: Database): Promise<boolean> {
  for (const [ table, key ] of tables) {
    if (table !== madeWithSchema && await readLast(db, table, key)) {
      return false;
    }
  }
  return true;
}

async function summarise(
  db: Database,
  table: keyof Tables,
  key: readonly string[],
): Promise<{ rows: number; digest: string }> {
  const hash = createHash('sha256');
  let count = 0;
  let rows: Row[] = [];
  do {
    rows = await readRows(db, table, key, rows.at(-1));
    for (const row of rows) {
      const columns = Object.entries(row).sort(([ one ], [ other ]): number => one < other ? -1 : 1);
      hash.update(`${JSON.stringify(columns)}\n`);
    }
    count += rows.length;
  } while (rows.length === rowsAtOnce);
  return { rows: count, digest: hash.digest('hex') };
}

async function readRows(
  db: Database,
  table: keyof Tables,
  key: readonly string[],
  after: Row | undefined,
): Promise<Row[]> {
  const columns = list(key.map((column): RawBuilder<unknown> => sql.ref(column)));
  const later = after ?
    sql`where (${columns}) > (${list(key.map((column): RawBuilder<unknown> => sql`${after[column]}`))})` :
    sql``;
  const { rows } = await sql<Row>`select * from ${sql.table(table)} ${later}
    order by ${columns} limit ${rowsAtOnce}`.execute(db);
  return rows;
}

async function readLast(db: Database, table: keyof Tables, key: readonly string[]): Promise<Row | undefined> {
  const columns = list(key.map((column): RawBuilder<unknown> => sql`${sql.ref(column)} desc`));
  const { rows } = await sql<Row>`select * from ${sql.table(table)} order by ${columns} limit 1`.execute(db);
  return rows[0];
}

/** Inserts by one statement: all rows or none. */
async function insert(db: Database, table: keyof Tables, rows: Row[]): Promise<void> {
  if (rows.length > 0) {
    await db.insertInto(table).values(rows).execute();
  }
}

function list(items: RawBuilder<unknown>[]): RawBuilder<unknown> {
  return sql.join(items);
}
