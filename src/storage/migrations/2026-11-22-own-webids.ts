import { sql } from 'kysely';
import type { Engine } from '../database/engine';
import type { Database } from '../schema';

/** Lets citizens bring a WebID, or a WebID and pod, of their own. */
export async function up(trx: Database, { text }: Engine): Promise<void> {
  await sql.raw(`alter table citizens add column brought ${text}`).execute(trx);
}
