import { sql } from 'kysely';
import type { Engine } from '../database/engine';
import type { Database } from '../schema';

/** Records which pods are being made, and when all accounts were last searched for pods: few starts need to. */
export async function up(trx: Database, { text }: Engine): Promise<void> {
  const statements = [
    `create table expected_pods (
      pod_url ${text} primary key,
      since bigint not null
    )`,
    `create table pod_searches (
      id integer primary key,
      ended_at bigint not null
    )`,
  ];
  for (const statement of statements) {
    await sql.raw(statement).execute(trx);
  }
}
