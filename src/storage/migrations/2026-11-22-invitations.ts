import { sql } from 'kysely';
import type { Engine } from '../database/engine';
import type { Database } from '../schema';

/** Makes a table for invitations to create an account. */
export async function up(trx: Database, { text }: Engine): Promise<void> {
  await sql.raw(`create table invitations (
    digest ${text} primary key,
    lapses_at bigint not null
  )`).execute(trx);
}
