import { sql } from 'kysely';
import type { Database } from '../schema';

/**
 * Makes the cost of listing plan requests (by reference, by state, or open ones) independent of the number of others.
 */
export async function up(trx: Database): Promise<void> {
  const statements = [
    `create index plan_requests_by_index on plan_requests (reference)`,
    `create index plan_requests_open on plan_requests (organisation_id, received_at, id) where closed_at is null`,
    `create index plan_request_zones_by_state on plan_request_zones (organisation_id, state, received_at, request_id)`,
    `create index plan_request_zones_open on plan_request_zones (organisation_id, received_at, request_id)
      where closed_at is null`,
  ];
  for (const statement of statements) {
    await sql.raw(statement).execute(trx);
  }
}
