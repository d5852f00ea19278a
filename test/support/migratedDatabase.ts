import { createHash, randomUUID } from 'node:crypto';
import { existsSync } from 'node:fs';
import { copyFile, mkdir, readdir, readFile, rename } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { Client } from 'pg';
import { openDatabase } from '../../src/storage/database/engine';
import { migrate } from '../../src/storage/migrate';
import type { PostgresSchema } from './recordsSql';

const storage = join(__dirname, '../../src/storage');
const cache = join(__dirname, '../../node_modules/.cache/css-data-sharing');
/** Advisory lock, so that only one of several suites makes the original. */
const makingLock = 20_261_123;

let original: Promise<string> | undefined;
let originalFile: Promise<string> | undefined;

/**
 * Makes a database with the tables of this version: a copy of an original, which the migrations make on first use.
 *
 * @param server - URL of a database on the server.
 */
export async function copyMigrated(server: string): Promise<PostgresSchema> {
  original ??= makeOriginal(server);
  const template = await original;
  const name = `test_${randomUUID().replaceAll('-', '')}`;
  await run(server, `create database ${name} template ${template}`);
  return {
    url: databaseOf(server, name),
    drop: async(): Promise<void> => {
      await run(server, `drop database ${name} with (force)`);
    },
  };
}

/**
 * Makes an SQLite file with the tables of this version: a copy, which is quicker than the migrations.
 *
 * @param file - Its path; the folder is made.
 */
export async function copyMigratedFile(file: string): Promise<void> {
  originalFile ??= makeOriginalFile();
  await mkdir(dirname(file), { recursive: true });
  await copyFile(await originalFile, file);
}

async function makeOriginalFile(): Promise<string> {
  const file = join(cache, `migrated-${await digestOfMigrations()}.sqlite`);
  if (!existsSync(file)) {
    await mkdir(cache, { recursive: true });
    const draft = `${file}.${randomUUID()}`;
    await migrateNew(draft);
    await rename(draft, file);
  }
  return file;
}

/** Named after the migrations, so that no permanent server has an outdated one. */
async function makeOriginal(server: string): Promise<string> {
  const name = `migrated_${await digestOfMigrations()}`;
  const client = new Client({ connectionString: server });
  await client.connect();
  try {
    await client.query('select pg_advisory_lock($1)', [ makingLock ]);
    const { rowCount } = await client.query('select 1 from pg_database where datname = $1', [ name ]);
    if (rowCount === 0) {
      await client.query(`create database ${name}`);
      await migrateNew(databaseOf(server, name));
    }
  } finally {
    await client.end();
  }
  return name;
}

async function migrateNew(place: string): Promise<void> {
  const database = await openDatabase(place);
  try {
    await migrate(database, (): Date => new Date());
  } finally {
    await database.db.destroy();
  }
}

async function digestOfMigrations(): Promise<string> {
  const names = await readdir(join(storage, 'migrations'));
  const files = [ 'migrate.ts', 'database/engine.ts', ...names.sort().map((name): string => `migrations/${name}`) ];
  const digest = createHash('sha256');
  for (const file of files) {
    digest.update(await readFile(join(storage, file)));
  }
  return digest.digest('hex').slice(0, 16);
}

function databaseOf(server: string, name: string): string {
  const url = new URL(server);
  url.pathname = `/${name}`;
  return url.href;
}

async function run(server: string, statement: string): Promise<void> {
  const client = new Client({ connectionString: server });
  await client.connect();
  try {
    await client.query(statement);
  } finally {
    await client.end();
  }
}
