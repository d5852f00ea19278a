import { sql } from 'kysely';
import type { Engine } from '../database/engine';
import type { Database } from '../schema';

/** A number for each version of a resource of a pod, by which a write is refused that overlooked a later one. */
export async function up(trx: Database, { name }: Engine): Promise<void> {
  if (name !== 'postgres') {
    return;
  }
  await sql.raw('create sequence pod_revisions').execute(trx);
  await sql.raw('alter table pod_resources add column revision bigint not null default nextval(\'pod_revisions\')')
    .execute(trx);
}
