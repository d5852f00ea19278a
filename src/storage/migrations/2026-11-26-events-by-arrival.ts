import { sql } from 'kysely';
import type { Database } from '../schema';

/** Adds the time at which an event was written, because its cause may be older than events are kept. */
export async function up(trx: Database): Promise<void> {
  for (const statement of [
    'alter table events add column written_at bigint',
    'drop index events_by_time',
    'create index events_by_time on events (coalesce(written_at, at))',
  ]) {
    await sql.raw(statement).execute(trx);
  }
}
