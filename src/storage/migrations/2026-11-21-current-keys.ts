import { sql } from 'kysely';
import type { Engine } from '../database/engine';
import type { Database } from '../schema';

/** Lets keys be replaced: records which secret is in use, and when a signing key begins to sign. */
export async function up(trx: Database, { text }: Engine): Promise<void> {
  for (const statement of [
    `create table current_keys (
      name ${text} primary key,
      file ${text} not null,
      since bigint not null
    )`,
    `insert into current_keys (name, file, since) values
      ('blind-index', 'blind-index.key', 0),
      ('encryption', 'encryption.key', 0),
      ('tokens', 'encryption.key', 0)`,
    'alter table key_fingerprints add column signs_from bigint not null default 0',
  ]) {
    await sql.raw(statement).execute(trx);
  }
}
