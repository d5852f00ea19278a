import { sql } from 'kysely';
import type { Engine } from '../database/engine';
import type { Database } from '../schema';

/**
 * Makes the feeds of events: a row for each data user, which counts its events and is locked to add one, and a row for
 * each event.
 */
export async function up(trx: Database, { text }: Engine): Promise<void> {
  const statements = [
    `create table event_feeds (
      data_user ${text} primary key,
      last bigint not null,
      forgotten bigint not null,
      noticed bigint not null
    )`,
    'create index event_feeds_with_news on event_feeds (data_user) where last > noticed',
    `create table events (
      data_user ${text} not null,
      number bigint not null,
      id ${text} not null,
      type ${text} not null,
      at bigint not null,
      data ${text} not null,
      primary key (data_user, number)
    )`,
    'create index events_by_time on events (at)',
  ];
  for (const statement of statements) {
    await sql.raw(statement).execute(trx);
  }
}
