import { sql } from 'kysely';
import type { Database } from '../schema';

/** Records since when the resource of a copy was missing: the share forgets it when the resource is back. */
export async function up(trx: Database): Promise<void> {
  await sql.raw('alter table data_copies add column absent_at bigint').execute(trx);
}
