import { sql } from 'kysely';
import type { Engine } from '../database/engine';
import type { Database } from '../schema';

/** Notes from when on tokens of the server's own identity provider are good no more, by WebID or client. */
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
