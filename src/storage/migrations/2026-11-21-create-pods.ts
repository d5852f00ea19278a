import { sql } from 'kysely';
import type { Engine } from '../database/engine';
import type { Database } from '../schema';

/** Makes tables for pods and for the server's own values, which all nodes can reach. Beside SQLite, pods are files. */
export async function up(trx: Database, { name, text }: Engine): Promise<void> {
  if (name !== 'postgres') {
    return;
  }
  for (const statement of statements(text)) {
    await sql.raw(statement).execute(trx);
  }
}

function statements(text: string): string[] {
  return [
    `create table pod_resources (
      path ${text} primary key,
      parent ${text} references pod_resources (path),
      content_type ${text},
      metadata text not null,
      modified bigint not null,
      size bigint not null,
      body bytea,
      version ${text}
    )`,
    'create index pod_resources_by_parent on pod_resources (parent, path)',
    // A document and a container of the same name would be one resource with two URIs.
    `create unique index pod_resources_by_name on pod_resources (rtrim(path, '/'))`,
    'create index pod_resources_by_version on pod_resources (version) where version is not null',
    // Stored bytes are already compressed, or few: compressing them again costs more than it saves.
    'alter table pod_resources alter column body set storage external',
    `create table pod_chunks (
      version ${text} not null,
      part integer not null,
      written_at bigint not null,
      bytes bytea not null,
      primary key (version, part)
    )`,
    'alter table pod_chunks alter column bytes set storage external',
    'create index pod_chunks_by_age on pod_chunks (written_at)',
    `create table key_values (
      key ${text} primary key,
      value text not null
    )`,
  ];
}
