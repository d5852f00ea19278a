import { sql } from 'kysely';
import type { Engine } from '../database/engine';
import type { Database } from '../schema';

/** Counts wrong business keys by caller. Existing ones have no caller. */
export async function up(trx: Database, { text }: Engine): Promise<void> {
  const statements = [
    'alter table guesses rename to earlier_guesses',
    'drop index guesses_by_time',
    `create table guesses (
      subject_index ${text} not null,
      caller_index ${text} not null,
      number_index ${text} not null,
      guessed_at bigint not null,
      primary key (subject_index, caller_index, number_index)
    )`,
    `insert into guesses (subject_index, caller_index, number_index, guessed_at)
      select subject_index, '', number_index, guessed_at from earlier_guesses`,
    'drop table earlier_guesses',
    'create index guesses_by_time on guesses (guessed_at)',
  ];
  for (const statement of statements) {
    await sql.raw(statement).execute(trx);
  }
}
