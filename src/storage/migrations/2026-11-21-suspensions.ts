import { sql } from 'kysely';
import type { Engine } from '../database/engine';
import type { Database } from '../schema';

/** Lets the operator suspend data users and contracts. */
export async function up(trx: Database, { text }: Engine): Promise<void> {
  // One column for both: a WebID has a colon, and the id of a contract has none.
  await sql.raw(`create table suspensions (
    name ${text} primary key,
    suspended_at bigint not null
  )`).execute(trx);
}
