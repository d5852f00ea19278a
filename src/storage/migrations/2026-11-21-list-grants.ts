import { sql } from 'kysely';
import type { Engine } from '../database/engine';
import type { Database } from '../schema';

/** Lets parties list their requests, grants and denials by every filter that clients use. */
export async function up(trx: Database, engine: Engine): Promise<void> {
  for (const statement of [ ...states(engine), ...resources(engine), ...purposes(engine) ]) {
    await sql.raw(statement).execute(trx);
  }
}

function states({ text }: Engine): string[] {
  return [
    `alter table access_grants add column state ${text} not null default 'open'`,
    'alter table access_grants add column created_at bigint not null default 0',
    `alter table access_grants add column token_issuer ${text}`,
    'update access_grants set created_at = issued_at',
    `update access_grants set state = 'revoked' where revoked_at is not null or invalid_at is not null`,
    ...[ 'subject', 'recipient' ].flatMap((party): string[] => [
      // With the expiry, so that expired ones are skipped within the index.
      `create index access_grants_by_${party}_state
        on access_grants (${party}, kind, state, issued_at, id, expires_at)`,
      `create index access_grants_revoked_by_${party}
        on access_grants (${party}, revoked_at, id) where revoked_at is not null`,
    ]),
    'create index access_grants_by_parties on access_grants (subject, recipient, issued_at, id)',
    ...[ 'subject', 'token_issuer' ].map((maker): string => `create index access_grants_made_by_${maker}
      on access_grants (${maker}, created_at) where token_issuer is not null`),
  ];
}

function resources({ text }: Engine): string[] {
  return [
    `alter table grant_resources add column subject ${text} not null default ''`,
    'alter table grant_resources add column issued_at bigint not null default 0',
    `update grant_resources set
      subject = (select subject from access_grants where id = grant_id),
      issued_at = (select issued_at from access_grants where id = grant_id)`,
    'drop index grant_resources_by_recipient',
    'create index grant_resources_by_recipient on grant_resources (recipient, resource, issued_at, grant_id)',
    'create index grant_resources_by_subject on grant_resources (subject, resource, issued_at, grant_id)',
  ];
}

function purposes({ name, text }: Engine): string[] {
  const each = name === 'sqlite' ? 'json_each(purposes)' : 'json_array_elements_text(purposes::json) as each (value)';
  return [
    `create table grant_purposes (
      grant_id ${text} not null references access_grants (id) on delete cascade,
      purpose ${text} not null,
      subject ${text} not null,
      recipient ${text} not null,
      issued_at bigint not null,
      primary key (grant_id, purpose)
    )`,
    `insert into grant_purposes (grant_id, purpose, subject, recipient, issued_at)
      select distinct access_grants.id, value, subject, recipient, issued_at from access_grants, ${each}`,
    'create index grant_purposes_by_recipient on grant_purposes (recipient, purpose, issued_at, grant_id)',
    'create index grant_purposes_by_subject on grant_purposes (subject, purpose, issued_at, grant_id)',
  ];
}
