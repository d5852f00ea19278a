import { randomUUID } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { NationalNumber } from '../../../src/identity/NationalNumber';
import type { Stores } from '../../../src/storage/Stores';
import type { OpenRecords, OpenRecordsOptions } from '../../../src/storage/openRecords';
import { copyMigrated, copyMigratedFile } from '../../support/migratedDatabase';
import { openRecordsOf } from '../../support/openRecordsOf';
import { databaseUrl } from '../../support/postgres';
import type { RunSql } from '../../support/recordsSql';
import { makeSchema, sqlOf } from '../../support/recordsSql';
import { isOnPostgres } from '../../support/storage';

/** A place for records, for one test. */
export interface Place {
  /** Values of `--records` and `--keys`. */
  records: string;
  keys: string;
  /** Opens the records. They are closed together with the place. */
  open: (options?: Partial<OpenRecordsOptions>) => Promise<OpenRecords>;
  /** Runs SQL behind the service's back. */
  sql: RunSql;
  remove: () => Promise<void>;
}

interface Engine {
  records: string;
  sql: RunSql;
  remove: () => Promise<void>;
}

/** The current moment in the tests. */
export const now = new Date('2026-11-21T12:00:00Z');

/** Returns a moment some seconds later, or earlier if negative. */
export function later(seconds: number): Date {
  return new Date(now.getTime() + (seconds * 1000));
}

/** A fictitious national number with a valid checksum. */
export function nationalNumber(index: number): string {
  const first = `850101${String(index + 1).padStart(3, '0')}`;
  return `${first}${String(97 - (Number(first) % 97)).padStart(2, '0')}`;
}

/** The same, as recorded for a citizen. */
export function citizenNumber(index: number): NationalNumber {
  return NationalNumber.stored(nationalNumber(index));
}

/** Collects the lines of a logger. */
export const logged: string[] = [];

const logger = {
  error: (message: string): number => logged.push(message),
  warn: (message: string): number => logged.push(message),
  info: (message: string): number => logged.push(message),
  debug: (message: string): number => logged.push(message),
};

async function makePlace(makeEngine: (folder: string) => Promise<Engine>): Promise<Place> {
  const folder = await mkdtemp(join(tmpdir(), 'records-'));
  const engine = await makeEngine(folder);
  const keys = join(folder, 'keys');
  const opened: OpenRecords[] = [];
  return {
    records: engine.records,
    keys,
    sql: engine.sql,
    open: async(options): Promise<OpenRecords> => {
      const standing = { records: engine.records, clock: (): Date => now, logger };
      const open = await openRecordsOf(folder, { ...standing, ...options });
      opened.push(open);
      return open;
    },
    remove: async(): Promise<void> => {
      for (const open of opened) {
        await open.close();
      }
      await engine.remove();
      await rm(folder, { recursive: true });
    },
  };
}

async function removeNothing(): Promise<void> {
  // The file is removed with its folder.
}

/** Returns a new SQLite file, with its tables: copying is quicker than creating them. */
export async function sqlitePlace(): Promise<Place> {
  return makePlace(async(folder): Promise<Engine> => {
    const engine = sqliteEngine(folder);
    await copyMigratedFile(engine.records);
    return engine;
  });
}

/** Returns a path for an SQLite file, without the file. */
export async function emptySqlitePlace(): Promise<Place> {
  return makePlace(async(folder): Promise<Engine> => sqliteEngine(folder));
}

function sqliteEngine(folder: string): Engine {
  const records = join(folder, 'data', 'records.sqlite');
  return { records, sql: sqlOf(records), remove: removeNothing };
}

/** Returns a new database on a PostgreSQL server, with its tables: copying is quicker than creating them. */
export async function postgresPlace(url: string): Promise<Place> {
  return makePlace(async(): Promise<Engine> => {
    const { drop, url: records } = await copyMigrated(url);
    return { records, sql: sqlOf(records), remove: drop };
  });
}

/** Returns a new schema on a PostgreSQL server, without tables. */
async function emptyPlace(url: string): Promise<Place> {
  return makePlace(async(): Promise<Engine> => {
    const schema = await makeSchema(url, `test_${randomUUID().replaceAll('-', '')}`);
    return { records: schema.url, sql: sqlOf(schema.url), remove: schema.drop };
  });
}

/** Places for the suites: on SQLite or, in `npm run test:postgres`, on PostgreSQL. */
export const places: [engine: string, makePlace: () => Promise<Place>][] = [
  isOnPostgres ? [ 'PostgreSQL', async(): Promise<Place> => postgresPlace(databaseUrl!) ] : [ 'SQLite', sqlitePlace ],
];

/** The same without tables: for tests of the first opening. */
export const emptyPlaces: typeof places = [
  isOnPostgres ?
      [ 'PostgreSQL', async(): Promise<Place> => emptyPlace(databaseUrl!) ] :
      [ 'SQLite', emptySqlitePlace ],
];

/** Runs work several times at once. */
export async function atOnce<T>(times: number, work: (index: number) => Promise<T>): Promise<T[]> {
  return Promise.all(Array.from({ length: times }, async(_, index): Promise<T> => work(index)));
}

/** Appends rows, one each, about a citizen. */
export async function appendRows(records: Pick<Stores, 'audit'>, count: number, citizenId?: string): Promise<void> {
  for (let index = 0; index < count; index += 1) {
    await records.audit.append({
      type: 'data.shared',
      at: now,
      correlationId: `c${index}`,
      facts: { contract: 'diplomas', index },
      personal: { webId: `https://pod.example/${citizenId ?? 'nobody'}/profile/card#me` },
      citizenId,
    });
  }
}
