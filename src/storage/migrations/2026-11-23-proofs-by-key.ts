import { sql } from 'kysely';
import type { Database } from '../schema';

/** Drops the index of proofs by caller: each process now counts the proofs of a caller by itself. */
export async function up(trx: Database): Promise<void> {
  await sql.raw('drop index proofs_by_caller').execute(trx);
}
