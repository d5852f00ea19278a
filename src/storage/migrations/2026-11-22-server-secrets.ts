import { sql } from 'kysely';
import type { Engine } from '../database/engine';
import type { Database } from '../schema';

/** Keeps sealed secrets of Community Solid Server: keys of its identity provider, and the key of its own values. */
export async function up(trx: Database, { text }: Engine): Promise<void> {
  await sql.raw(`create table server_secrets (
    id ${text} primary key,
    name ${text} not null,
    sealed ${text} not null,
    recorded_at bigint not null,
    active_from bigint not null,
    settled_at bigint
  )`).execute(trx);
}
