import { sql } from 'kysely';
import type { Engine } from '../database/engine';
import type { Database } from '../schema';

/** Numbers each version of a pod resource, so that a write is refused when it missed a later version. */
export async function up(trx: Database, { name }: Engine): Promise<void> {
  if (name !== 'postgres') {
    return;
  }
  await sql.raw('create sequence pod_revisions').execute(trx);
  await sql.raw('alter table pod_resources add column revision bigint not null default nextval(\'pod_revisions\')')
    .execute(trx);
}
