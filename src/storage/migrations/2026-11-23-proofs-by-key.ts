import { sql } from 'kysely';
import type { Database } from '../schema';

/** Each process counts the proofs of a caller by itself: nothing looks for them by caller. */
export async function up(trx: Database): Promise<void> {
  await sql.raw('drop index proofs_by_caller').execute(trx);
}
