import { createHash } from 'node:crypto';
import type { Dirent } from 'node:fs';
import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import { dirname, join, relative } from 'node:path';
import { Client } from 'pg';
import type { ServerOptions } from '../../demo/lib/servers';
import { databaseUrl, redisOf, redisUrl } from './postgres';

/** True when the servers of tests store everything in PostgreSQL and Redis: `TEST_STORAGE=postgres`. */
export const isOnPostgres = process.env.TEST_STORAGE === 'postgres';

/** Stored data, accessed without the server. */
export interface Stored {
  /** Value of `--records`. */
  place: string;
  /** Names of pods and other containers at the root. */
  podNames: () => Promise<string[]>;
  /** Paths of everything in pods, as stored. */
  podPaths: () => Promise<string[]>;
  /**
   * Writes to a pod without the server, with missing containers.
   *
   * @param base - Base URL of the server.
   * @param path - Below it, decoded; ends with a slash for a container.
   */
  plant: (base: string, path: string, text?: string) => Promise<void>;
  /** Everything in the records. */
  records: () => Promise<Buffer[]>;
  /** Number of uploads being stored; includes at least the long ones. */
  uploads: () => Promise<number>;
  /**
   * The server's own values: accounts, log-ins, notification channels and the like.
   *
   * @param kind - Prefix of their names, such as `notifications`; all by default.
   */
  values: (kind?: string) => Promise<string[]>;
  /** Names of the server's own values. */
  valueNames: () => Promise<string[]>;
}

/** Storage of a server of a test. */
export interface TestStorage extends Stored {
  /** Options of a server that uses it. */
  options: (given: Partial<ServerOptions>) => Partial<ServerOptions>;
  remove: () => Promise<void>;
}

function fileStorage(folder: string): TestStorage {
  return {
    place: join(folder, 'records.sqlite'),
    options: (): Partial<ServerOptions> => ({}),
    async remove(): Promise<void> {
      // Removed with the folder.
    },
    podNames: async(): Promise<string[]> => readdir(join(folder, 'pods')),
    podPaths: async(): Promise<string[]> => pathsIn(join(folder, 'pods')),
    async plant(_, path, text = ''): Promise<void> {
      const place = join(folder, 'pods', path);
      await mkdir(path.endsWith('/') ? place : dirname(place), { recursive: true });
      if (!path.endsWith('/')) {
        await writeFile(place, text);
      }
    },
    async records(): Promise<Buffer[]> {
      const names = (await readdir(folder)).filter((name): boolean => name.startsWith('records.sqlite'));
      return Promise.all(names.map(async(name): Promise<Buffer> => readFile(join(folder, name))));
    },
    uploads: async(): Promise<number> => (await readdir(join(folder, 'pods/.internal/tempFiles'))).length,
    valueNames: async(): Promise<string[]> => pathsIn(join(folder, 'pods/.internal')),
    async values(kind = ''): Promise<string[]> {
      const entries = await entriesIn(join(folder, 'pods/.internal', kind));
      return Promise.all(entries.filter((entry): boolean => entry.isFile())
        .map(async(file): Promise<string> => readFile(join(file.parentPath, file.name), 'utf8')));
    },
  };
}

/** Lists a folder of pods, except locks, which may come and go after a response. */
async function entriesIn(folder: string): Promise<Dirent[]> {
  const entries = await readdir(folder, { withFileTypes: true });
  const below = await Promise.all(entries.map(async(entry): Promise<Dirent[]> => {
    const path = join(folder, entry.name);
    return entry.isDirectory() && !path.endsWith('/.internal/locks') ? entriesIn(path) : [];
  }));
  return [ ...entries, ...below.flat() ];
}

/** Lists relative paths in a folder of pods. */
async function pathsIn(folder: string): Promise<string[]> {
  return (await entriesIn(folder)).map(({ name, parentPath }): string => relative(folder, join(parentPath, name)));
}

/**
 * Returns the storage of a folder: the folder itself, or a schema in PostgreSQL that depends on its path only.
 */
export async function storageOf(folder: string): Promise<TestStorage> {
  return isOnPostgres ? postgresStorage(folder) : fileStorage(folder);
}

/**
 * Returns the schema for all servers of a folder, which is created if absent.
 *
 * @throws Error when DATABASE_URL or REDIS_URL is not set.
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
    place: records.href,
    options: ({ config = 'file.json', flags }): Partial<ServerOptions> => ({
      config: config.replace(/^file/u, 'postgres'),
      flags: { records: records.href, redis: redisOf(folder), rootFilePath: undefined, ...flags },
    }),
    async remove(): Promise<void> {
      await query(`drop schema ${schema} cascade`);
    },
    async podNames(): Promise<string[]> {
      const paths = await query(`select path from ${schema}.pod_resources where parent = '/'`);
      return paths.map((path): string => path.split('/')[1]);
    },
    podPaths: async(): Promise<string[]> => query(`select path from ${schema}.pod_resources`),
    async plant(base, path, text = ''): Promise<void> {
      const segments = path.split(/(?<=\/)/u).map(encodeSegment);
      for (const end of segments.keys()) {
        const name = `/${segments.slice(0, end + 1).join('')}`;
        const [ type, metadata ] = name.endsWith('/') ?
            [ 'null', '' ] :
            [ `'text/turtle'`, `<${base}${name.slice(1)}> <http://www.w3.org/ns/ma-ont#format> "text/turtle" .` ];
        await query(`insert into ${schema}.pod_resources
          (path, parent, content_type, metadata, modified, size, body)
          values ('${name}', '/${segments.slice(0, end).join('')}', ${type}, '${metadata}',
            0, ${text.length}, '${text}')
          on conflict do nothing`);
      }
    },
    async records(): Promise<Buffer[]> {
      const tables = await query(`select tablename from pg_tables
        where schemaname = '${schema}' and tablename not like 'pod\\_%'`);
      const rows = await Promise.all(tables.map(async(table): Promise<string[]> =>
        query(`select t::text from ${schema}.${table} t`)));
      return rows.flat().map((row): Buffer => Buffer.from(row));
    },
    async uploads(): Promise<number> {
      return (await query(`select distinct version from ${schema}.pod_chunks`)).length;
    },
    valueNames: async(): Promise<string[]> => query(`select key from ${schema}.key_values`),
    values: async(kind = ''): Promise<string[]> =>
      query(`select value from ${schema}.key_values where key like '${kind}%'`),
  };
}

function encodeSegment(segment: string): string {
  return encodeURIComponent(segment).replace(/%2F$/u, '/').replaceAll('\'', '%27');
}

function schemaOf(folder: string): string {
  return `world_${createHash('sha256').update(folder).digest('hex').slice(0, 16)}`;
}

/** Runs a statement; returns the first column of its rows. */
async function query(statement: string): Promise<string[]> {
  const client = new Client({ connectionString: databaseUrl });
  await client.connect();
  try {
    const { rows } = await client.query<string[]>({ text: statement, rowMode: 'array' });
    return rows.map(([ first ]): string => first);
  } finally {
    await client.end();
  }
}
