import { sql } from 'kysely';
import type { Engine } from '../database/engine';
import type { Database } from '../schema';

/** Makes a table for endpoints that receive pushed events. The index has only those with something to push. */
export async function up(trx: Database, { text }: Engine): Promise<void> {
  const statements = [
    `create table subscriptions (
      id ${text} primary key,
      data_user ${text} not null,
      endpoint ${text} not null,
      events ${text},
      status ${text} not null,
      position bigint not null,
      revision integer not null,
      due_at bigint,
      attempts integer not null,
      failing_since bigint,
      last_failure ${text},
      created_at bigint not null
    )`,
    'create unique index subscriptions_by_endpoint on subscriptions (data_user, endpoint)',
    'create index subscriptions_due on subscriptions (due_at) where due_at is not null',
  ];
  for (const statement of statements) {
    await sql.raw(statement).execute(trx);
  }
}
