import { sql } from 'kysely';
import type { Database } from '../schema';

/** Records since when the credential of a copy is not valid: the share forgets it when the value is shared again. */
export async function up(trx: Database): Promise<void> {
  await sql.raw('alter table data_copies add column invalid_at bigint').execute(trx);
}
