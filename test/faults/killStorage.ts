import { randomUUID } from 'node:crypto';
import { join } from 'node:path';
import { Redis } from 'ioredis';
import type { OpenRecords } from '../../src/storage/openRecords';
import { databaseUrl, redisUrl } from '../support/postgres';
import { makeSchema, sqlOf } from '../support/recordsSql';
import type { RunSql } from '../support/recordsSql';
import { stateInFiles, stateInRows } from '../support/serverState';
import type { ServerState } from '../support/serverState';

/**
 * Number of the Redis database, one for each suite that runs at the same time: what one flushes or disconnects is none
 * of the others'. Servers of other tests use database 0.
 */
const redisDatabase = Number(process.env.JEST_WORKER_ID ?? 1);

/** Engines on which the killed servers store everything. */
export type Engine = 'SQLite' | 'PostgreSQL';

/** The storage of a server that is killed. */
export interface KillStorage {
  /** Name of the preset. */
  preset: string;
  /** Options of the server that select it. */
  flags: Record<string, string>;
  /** Runs SQL on the records behind the server's back. */
  sql: RunSql;
  /** Contents of the storage other than the records. */
  state: (base: string, open: OpenRecords) => Promise<ServerState>;
  /** Lets time pass for locks only, until those that expire are gone. Returns those that never would. */
  passLocks: (base: string) => Promise<string[]>;
  /** Flushes its Redis database. */
  flush?: () => Promise<unknown>;
  /** Flushes its Redis database and breaks every connection to it, as a failover to an empty replica does. */
  failOver?: () => Promise<unknown>;
  remove: () => Promise<void>;
}

/**
 * Storage for one server after the other.
 *
 * @param engine - Where its records are.
 * @param folder - Folder for everything in files.
 */
export async function makeStorage(engine: Engine, folder: string): Promise<KillStorage> {
  return engine === 'SQLite' ? inFiles(folder) : inPostgres();
}

function inFiles(folder: string): KillStorage {
  const records = join(folder, 'records.sqlite');
  const root = join(folder, 'pods');
  return {
    preset: 'file.json',
    flags: { records, rootFilePath: `${root}/` },
    sql: sqlOf(records),
    state: async(base, open): Promise<ServerState> => stateInFiles(base, root, open),
    passLocks: async(): Promise<string[]> => [],
    async remove(): Promise<void> {
      // It is removed with the folder.
    },
  };
}

async function inPostgres(): Promise<KillStorage> {
  const schema = await makeSchema(databaseUrl!, `kills_${randomUUID().replaceAll('-', '')}`);
  const url = new URL(redisUrl!);
  url.pathname = `/${redisDatabase}`;
  const redis = new Redis(url.href);
  const sql = sqlOf(schema.url);
  return {
    preset: 'postgres.json',
    flags: { records: schema.url, redis: url.href },
    sql,
    state: async(base, open): Promise<ServerState> => stateInRows(base, sql, open),
    async passLocks(base): Promise<string[]> {
      const names = await redis.keys(`css-data-sharing:{${base}*`);
      const ends = await Promise.all(names.map(async(name): Promise<number> => redis.pttl(name)));
      await Promise.all(names.map(async(name): Promise<number> => redis.pexpire(name, 0)));
      return names.filter((...[ , index ]): boolean => ends[index] === -1);
    },
    flush: async(): Promise<unknown> => redis.flushdb(),
    failOver: async(): Promise<unknown> => failOver(redis),
    async remove(): Promise<void> {
      redis.disconnect();
      await schema.drop();
    },
  };
}

/** Flushes the database of a client, and ends all other connections to that database. */
async function failOver(redis: Redis): Promise<unknown> {
  const own = await redis.client('ID');
  const listed = String(await redis.client('LIST')).split('\n')
    .filter((line): boolean => line.includes(` db=${redisDatabase} `))
    .map((line): number => Number(/^id=(\d+)/u.exec(line)![1]));
  const flush = redis.multi().flushdb();
  for (const id of listed.filter((one): boolean => one !== own)) {
    flush.call('client', 'kill', 'id', id);
  }
  return flush.exec();
}
