import { sql } from 'kysely';
import type { Engine } from '../database/engine';
import type { Database } from '../schema';

/** Lets the operator mark citizens for erasure by a server process. */
export async function up(trx: Database, { text }: Engine): Promise<void> {
  await sql.raw(`create table erasures (
    citizen_id ${text} primary key,
    requested_at bigint not null,
    claimed_at bigint
  )`).execute(trx);
}
