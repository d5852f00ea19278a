import { sql } from 'kysely';
import type { Engine } from '../database/engine';
import type { Database } from '../schema';

/** Records the progress of the sweep over all pods, so that each run continues where the last one ended. */
export async function up(trx: Database, { text }: Engine): Promise<void> {
  await sql.raw(`create table sweeps (
    id integer primary key,
    began_at bigint not null,
    ended_at bigint,
    hurried integer not null,
    stage ${text} not null,
    position ${text} not null,
    pods integer not null,
    removed integer not null,
    marked integer not null,
    failed integer not null
  )`).execute(trx);
}
