import { sql } from 'kysely';
import type { Database } from '../schema';

/** Lets citizens page through the events in which somebody saw their data. */
export async function up(trx: Database): Promise<void> {
  const statements = [
    `update activity set reads = '#' || sequence where reads is null and exists (
      select 1 from audit_rows where audit_rows.sequence = activity.sequence
        and type in ('resource.read', 'resource.listed', 'data.listed', 'businesskey.verified'))`,
    'create index activity_by_reads on activity (key_id, sequence) where reads is not null',
  ];
  for (const statement of statements) {
    await sql.raw(statement).execute(trx);
  }
}
