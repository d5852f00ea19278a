import { sql } from 'kysely';
import type { Database } from '../schema';

/** Lets the owner of a resource list the grants on it without reading those that strangers stated. */
export async function up(trx: Database): Promise<void> {
  await sql.raw(`create index grant_resources_by_control on grant_resources (resource, controlled, recipient, grant_id)
    where kind = 'grant'`).execute(trx);
}
