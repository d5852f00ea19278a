import { sql } from 'kysely';
import type { Engine } from '../database/engine';
import type { Database } from '../schema';

/** Tables that decide on access. */
const tables = [ 'access_grants', 'citizens', 'pod_owners', 'pod_tombstones', 'suspensions' ];

/**
 * Counts the changes of tables that decide on access, whoever makes them, so that an SQLite reader can cache them until
 * the count changes. On PostgreSQL nothing is cached.
 */
export async function up(trx: Database, { name }: Engine): Promise<void> {
  if (name !== 'sqlite') {
    return;
  }
  await sql.raw('create table access_version (id integer primary key, version integer not null)').execute(trx);
  await sql.raw('insert into access_version values (1, 1)').execute(trx);
  for (const table of tables) {
    for (const change of [ 'insert', 'update', 'delete' ]) {
      await sql.raw(`create trigger ${table}_${change}_changes_access after ${change} on ${table}
        begin update access_version set version = version + 1; end`).execute(trx);
    }
  }
}
