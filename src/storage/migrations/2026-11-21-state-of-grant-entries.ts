import { sql } from 'kysely';
import type { Engine } from '../database/engine';
import type { Database } from '../schema';

const tables = { resource: 'grant_resources', purpose: 'grant_purposes' };

const usable = [
  'alter table grant_resources add column controlled integer not null default 1',
  `create index grant_resources_usable on grant_resources (recipient, resource, controlled, expires_at, grant_id)
    where kind = 'grant' and state = 'open'`,
  `create index access_grants_to_expire on access_grants (expires_at)
    where state = 'open' and expires_at is not null`,
];

/**
 * Lets grants be looked up by kind and state together with any other value, so that no look-up reads rows it does not
 * want. Existing grants count as stated by a controller of the resource.
 */
export async function up(trx: Database, engine: Engine): Promise<void> {
  for (const statement of [ ...Object.entries(tables).flatMap(entries(engine)), ...usable ]) {
    await sql.raw(statement).execute(trx);
  }
}

function entries({ text }: Engine): ([ value, table ]: [string, string]) => string[] {
  return ([ value, table ]): string[] => [
    `alter table ${table} add column kind ${text} not null default 'grant'`,
    `alter table ${table} add column state ${text} not null default 'open'`,
    `alter table ${table} add column expires_at bigint`,
    `update ${table} set
      kind = (select kind from access_grants where id = grant_id),
      state = (select state from access_grants where id = grant_id),
      expires_at = (select expires_at from access_grants where id = grant_id)`,
    ...[ 'recipient', 'subject' ].flatMap((party): string[] => [
      `drop index ${table}_by_${party}`,
      `create index ${table}_by_${party}
        on ${table} (${party}, ${value}, kind, state, issued_at, grant_id, expires_at)`,
    ]),
  ];
}
