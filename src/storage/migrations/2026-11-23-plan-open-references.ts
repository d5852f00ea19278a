import { sql } from 'kysely';
import type { Database } from '../schema';

/** Finds open plan requests by a reference that many of them share. */
export async function up(trx: Database): Promise<void> {
  const statements = [
    `create index plan_requests_open_by_reference on plan_requests (organisation_id, reference, received_at, id)
      where closed_at is null`,
    `create index plan_request_zones_open_by_reference on plan_request_zones
      (organisation_id, reference, received_at, request_id) where closed_at is null`,
  ];
  for (const statement of statements) {
    await sql.raw(statement).execute(trx);
  }
}
