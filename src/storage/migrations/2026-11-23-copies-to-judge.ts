import { sql } from 'kysely';
import type { Database } from '../schema';

/** Records when each open copy is to be checked next, and when its data user was told that it is due for deletion. */
export async function up(trx: Database): Promise<void> {
  const statements = [
    'alter table data_copies add column judge_at bigint',
    'alter table data_copies add column due_at bigint',
    'update data_copies set judge_at = 0 where deleted_at is null',
    'create index data_copies_to_judge on data_copies (judge_at) where judge_at is not null',
    'create index data_copies_by_grant on data_copies (grant_id) where deleted_at is null',
  ];
  for (const statement of statements) {
    await sql.raw(statement).execute(trx);
  }
}
