import BetterSqlite3 from 'better-sqlite3';
import { Client } from 'pg';
import { isPostgresUrl } from '../../src/storage/database/engine';

/** A row of the database, with columns in snake_case. */
export type SqlRow = Record<string, unknown>;

/** Runs one statement behind the service's back. */
export type RunSql = (statement: string) => Promise<SqlRow[]>;

/**
 * Runs statements on records, by a connection for each.
 *
 * @param records - Value of `--records`.
 */
export function sqlOf(records: string): RunSql {
  return isPostgresUrl(records) ?
    async(statement): Promise<SqlRow[]> => runOnPostgres(records, statement) :
    async(statement): Promise<SqlRow[]> => runOnSqlite(records, statement);
}

function runOnSqlite(records: string, statement: string): SqlRow[] {
  const file = new BetterSqlite3(records, { timeout: 5000 });
  try {
    const prepared = file.prepare(statement);
    return prepared.reader ? prepared.all() as SqlRow[] : (prepared.run(), []);
  } finally {
    file.close();
  }
}

async function runOnPostgres(records: string, statement: string): Promise<SqlRow[]> {
  const client = new Client({ connectionString: records });
  await client.connect();
  try {
    return (await client.query<SqlRow>(statement)).rows;
  } finally {
    await client.end();
  }
}

/** Records on PostgreSQL for one test, in their own schema. */
export interface PostgresSchema {
  /** Value of `--records`. */
  url: string;
  drop: () => Promise<void>;
}

/**
 * Makes a schema.
 *
 * @param server - URL of a database.
 * @param name - Of the schema: small letters, digits and underscores.
 */
export async function makeSchema(server: string, name: string): Promise<PostgresSchema> {
  const url = new URL(server);
  url.searchParams.set('options', `-csearch_path=${name}`);
  await runOnPostgres(url.href, `create schema ${name}`);
  return {
    url: url.href,
    drop: async(): Promise<void> => {
      await runOnPostgres(url.href, `drop schema ${name} cascade`);
    },
  };
}
