import { createHash } from 'node:crypto';
import { Client } from 'pg';
import type { ServerOptions } from '../../demo/lib/servers';
import { databaseUrl, redisUrl } from './postgres';

/** Whether the servers of tests keep everything in PostgreSQL and Redis: `TEST_STORAGE=postgres`. */
export const isOnPostgres = process.env.TEST_STORAGE === 'postgres';

/** `describe` and `it` of what is about files, and cannot be asked where there are none. */
export const describeOnFiles = isOnPostgres ? describe.skip : describe;
export const itOnFiles = isOnPostgres ? it.skip : it;

/** Where a server of a test keeps what it stores. */
export interface TestStorage {
  /** What the server is told of it. */
  options: (given: Partial<ServerOptions>) => Partial<ServerOptions>;
  remove: () => Promise<void>;
}

const fileStorage: TestStorage = {
  options: (): Partial<ServerOptions> => ({}),
  async remove(): Promise<void> {
    // It goes with the folder.
  },
};

/**
 * Storage that belongs to a folder: the folder itself, or a schema in PostgreSQL that is the same for as long as the
 * folder is.
 */
export async function storageOf(folder: string): Promise<TestStorage> {
  return isOnPostgres ? postgresStorage(folder) : fileStorage;
}

/**
 * A schema of its own for all servers of a folder, made when it is not there.
 *
 * @throws Error when the environment does not say where PostgreSQL and Redis are.
 */
export async function postgresStorage(folder: string): Promise<TestStorage> {
  if (databaseUrl === undefined || redisUrl === undefined) {
    throw new Error('DATABASE_URL and REDIS_URL are needed');
  }
  const schema = schemaOf(folder);
  await query(`create schema if not exists ${schema}`);
  const records = new URL(databaseUrl);
  records.searchParams.set('options', `-csearch_path=${schema}`);
  return {
    options: ({ config = 'file.json', flags }): Partial<ServerOptions> => ({
      config: config.replace(/^file/u, 'postgres'),
      flags: { records: records.href, redis: redisUrl, rootFilePath: undefined, ...flags },
    }),
    remove: async(): Promise<void> => query(`drop schema ${schema} cascade`),
  };
}

function schemaOf(folder: string): string {
  return `world_${createHash('sha256').update(folder).digest('hex').slice(0, 16)}`;
}

async function query(statement: string): Promise<void> {
  const client = new Client({ connectionString: databaseUrl });
  await client.connect();
  try {
    await client.query(statement);
  } finally {
    await client.end();
  }
}
