import { sql } from 'kysely';
import type { Engine } from '../database/engine';
import type { Database } from '../schema';

/** Creates every table, with the indexes for the look-ups of its store. */
export async function up(trx: Database, { text }: Engine): Promise<void> {
  for (const statement of statements(text)) {
    await sql.raw(statement).execute(trx);
  }
}

function statements(text: string): string[] {
  return [ ...identity(text), ...sharing(text), ...grants(text), ...dataCopies(text), ...limits(text), ...audit(text) ];
}

function identity(text: string): string[] {
  return [
    `create table citizens (
      id ${text} primary key,
      web_id ${text} not null unique,
      pod_url ${text} not null unique,
      number_index ${text} not null unique,
      number_sealed ${text} not null,
      state ${text} not null,
      account_id ${text},
      created_at bigint not null
    )`,
    'create index citizens_by_state on citizens (state)',
    `create table pod_tombstones (
      pod_url ${text} primary key,
      erased_at bigint not null
    )`,
    `create table pod_owners (
      pod_url ${text} not null,
      web_id ${text} not null,
      primary key (pod_url, web_id)
    )`,
    'create index pod_owners_by_web_id on pod_owners (web_id)',
  ];
}

function sharing(text: string): string[] {
  return [
    `create table contract_uses (
      contract_id ${text} primary key,
      digest ${text} not null,
      first_used_at bigint not null
    )`,
    // Rows outlive their citizen, because copies must still be checked: no reference to citizens.
    `create table shares (
      id ${text} primary key,
      citizen_id ${text} not null,
      contract_id ${text} not null,
      data_type ${text} not null,
      record_id ${text} not null,
      version ${text} not null,
      resource ${text} not null unique,
      content_type ${text} not null,
      size bigint not null,
      digest ${text} not null,
      status_list_id ${text},
      status_index integer,
      grant_id ${text} not null,
      created_at bigint not null,
      modified_at bigint not null,
      absent_at bigint,
      invalid_at bigint,
      unique (citizen_id, contract_id, data_type, record_id)
    )`,
    'create index shares_by_citizen on shares (citizen_id, created_at, id)',
    `create table share_intents (
      id ${text} primary key,
      citizen_id ${text} not null,
      resource ${text} not null,
      digest ${text} not null,
      existed integer not null,
      plan ${text} not null,
      created_at bigint not null
    )`,
  ];
}

function grants(text: string): string[] {
  return [
    `create table status_lists (
      id ${text} primary key,
      kind ${text} not null,
      ordinal integer not null,
      created_at bigint not null,
      unique (kind, ordinal)
    )`,
    `create table status_entries (
      list_id ${text} not null references status_lists (id),
      position integer not null,
      revoked_at bigint,
      primary key (list_id, position)
    )`,
    'create index status_entries_revoked on status_entries (list_id, position) where revoked_at is not null',
    `create table access_grants (
      id ${text} primary key,
      uri ${text} not null unique,
      kind ${text} not null,
      subject ${text} not null,
      recipient ${text} not null,
      modes ${text} not null,
      resources ${text} not null,
      purposes ${text} not null,
      inherit integer not null,
      contract_id ${text},
      contract_digest ${text},
      request ${text},
      status_list_id ${text} not null,
      status_index integer not null,
      issued_at bigint not null,
      expires_at bigint,
      revoked_at bigint,
      invalid_at bigint,
      document ${text} not null
    )`,
    'create index access_grants_by_subject on access_grants (subject, issued_at, id)',
    'create index access_grants_by_recipient on access_grants (recipient, issued_at, id)',
    `create table grant_resources (
      grant_id ${text} not null references access_grants (id) on delete cascade,
      resource ${text} not null,
      recipient ${text} not null,
      primary key (grant_id, resource)
    )`,
    'create index grant_resources_by_recipient on grant_resources (recipient, resource, grant_id)',
    'create index grant_resources_by_resource on grant_resources (resource, grant_id)',
  ];
}

function dataCopies(text: string): string[] {
  return [
    `create table data_copies (
      id ${text} primary key,
      data_user ${text} not null,
      resource ${text} not null,
      purpose ${text} not null,
      access_grant ${text} not null,
      grant_id ${text} not null,
      system ${text},
      stored_at bigint not null,
      reported_at bigint not null,
      deleted_at bigint,
      deletion_reason ${text}
    )`,
    'create unique index data_copies_open on data_copies (data_user, resource, purpose) where deleted_at is null',
    'create index data_copies_by_key on data_copies (data_user, resource)',
    'create index data_copies_by_data_user on data_copies (data_user, reported_at, id)',
    'create index data_copies_by_resource on data_copies (resource)',
  ];
}

function limits(text: string): string[] {
  return [
    `create table guesses (
      subject_index ${text} not null,
      number_index ${text} not null,
      guessed_at bigint not null,
      primary key (subject_index, number_index)
    )`,
    'create index guesses_by_time on guesses (guessed_at)',
    `create table proofs (
      caller ${text} not null,
      jti ${text} not null,
      expires_at bigint not null,
      primary key (caller, jti)
    )`,
    'create index proofs_by_caller on proofs (caller, expires_at)',
    'create index proofs_by_expiry on proofs (expires_at)',
  ];
}

function audit(text: string): string[] {
  return [
    `create table audit_rows (
      sequence bigint primary key,
      at bigint not null,
      type ${text} not null,
      correlation_id ${text},
      facts ${text} not null,
      key_id ${text},
      personal ${text},
      previous_hash ${text} not null,
      hash ${text} not null
    )`,
    `create table audit_head (
      id integer primary key,
      sequence bigint not null,
      hash ${text} not null,
      mac ${text} not null
    )`,
    `create table audit_subjects (
      citizen_id ${text} primary key,
      key_id ${text} unique
    )`,
    `create table audit_keys (
      id ${text} primary key,
      wrapped ${text} not null
    )`,
    `create table key_fingerprints (
      file ${text} primary key,
      fingerprint ${text} not null,
      recorded_at bigint not null
    )`,
  ];
}
