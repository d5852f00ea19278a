import { sql } from 'kysely';
import type { Engine } from '../database/engine';
import type { Database } from '../schema';

/** Types of events when this migration was written. */
const types = [
  'webid.created',
  'webid.linked',
  'citizen.relinked',
  'login.succeeded',
  'data.listed',
  'data.shared',
  'credential.invalid',
  'resource.read',
  'resource.listed',
  'resource.created',
  'resource.written',
  'resource.appended',
  'resource.deleted',
  'grant.requested',
  'grant.denied',
  'grant.revoked',
  'businesskey.verified',
  'copy.reported',
  'copy.deleted',
  'citizen.exported',
];

/**
 * Lets citizens page through their part of the audit record. Earlier reads are listed one by one, because grouping them
 * needs the keys.
 */
export async function up(trx: Database, { text }: Engine): Promise<void> {
  const statements = [
    `create table activity (
      sequence bigint primary key,
      key_id ${text} not null,
      reads ${text},
      times integer not null,
      last_at bigint not null,
      unique (key_id, reads)
    )`,
    'create index activity_by_key on activity (key_id, sequence)',
    `insert into activity (sequence, key_id, times, last_at)
      select sequence, audit_rows.key_id, 1, at from audit_rows
      join audit_subjects on audit_subjects.key_id = audit_rows.key_id
      where citizen_id <> '' and (type in (${types.map((type): string => `'${type}'`).join(', ')})
        or (type = 'grant.issued' and facts not like '%"contractDigest"%'))`,
  ];
  for (const statement of statements) {
    await sql.raw(statement).execute(trx);
  }
}
