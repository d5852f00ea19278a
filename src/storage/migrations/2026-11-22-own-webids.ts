import { sql } from 'kysely';
import type { Engine } from '../database/engine';
import type { Database } from '../schema';

/** Lets citizens have a WebID, or a WebID and pod, that were there before them. */
export async function up(trx: Database, { text }: Engine): Promise<void> {
  await sql.raw(`alter table citizens add column brought ${text}`).execute(trx);
}
