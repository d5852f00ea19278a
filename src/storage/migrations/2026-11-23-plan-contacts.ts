import { sql } from 'kysely';
import type { Database } from '../schema';

/**
 * Indexes unencrypted plan requests and settings of zones. They are sealed when the records are opened, because
 * migrations have no keys. Sealed text never begins with a brace, so both indexes are empty afterwards.
 */
export async function up(trx: Database): Promise<void> {
  const statements = [
    `create index plan_requests_in_clear on plan_requests (id) where substr(content, 1, 1) = '{'`,
    `create index plan_una_zones_in_clear on plan_una_zones (id) where substr(settings, 1, 1) = '{'`,
  ];
  for (const statement of statements) {
    await sql.raw(statement).execute(trx);
  }
}
