import { sql } from 'kysely';
import type { Engine } from '../database/engine';
import type { Database } from '../schema';

const day = 24 * 60 * 60 * 1000;

/**
 * Records for each share what its origin said, and when to ask again: existing shares within a day, evenly spread. The
 * index has only shares that are still to be checked.
 */
export async function up(trx: Database, { name, text }: Engine): Promise<void> {
  const random = name === 'postgres' ? `floor(random() * ${day})` : `abs(random() % ${day})`;
  const statements = [
    ...[ 'expires_at bigint', `invalid_reason ${text}`, 'checked_at bigint', 'check_at bigint' ]
      .map((column): string => `alter table shares add column ${column}`),
    `update shares set check_at = ${Date.now()} + ${random} where absent_at is null and invalid_at is null`,
    'create index shares_by_check on shares (data_type, check_at) where check_at is not null',
    `create table duties (
      name ${text} primary key,
      holder ${text} not null,
      until bigint not null
    )`,
  ];
  for (const statement of statements) {
    await sql.raw(statement).execute(trx);
  }
}
