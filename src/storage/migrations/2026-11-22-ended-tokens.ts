import { sql } from 'kysely';
import type { Engine } from '../database/engine';
import type { Database } from '../schema';

/** Records, by WebID or client, when tokens of the server's own identity provider were ended. */
export async function up(trx: Database, { text }: Engine): Promise<void> {
  for (const statement of [
    `create table ended_tokens (
      subject ${text} primary key,
      ended_at bigint not null
    )`,
    'create index ended_tokens_by_time on ended_tokens (ended_at)',
  ]) {
    await sql.raw(statement).execute(trx);
  }
}
