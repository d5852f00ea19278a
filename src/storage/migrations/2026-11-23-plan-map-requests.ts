import { sql } from 'kysely';
import type { Engine } from '../database/engine';
import type { Database } from '../schema';

/** Makes tables for plan requests and the operators' zones that each was sent to. */
export async function up(trx: Database, { text }: Engine): Promise<void> {
  const statements = [
    `create table plan_requests (
      id ${text} primary key,
      organisation_id ${text} not null,
      reference ${text} not null,
      received_at bigint not null,
      package_by bigint not null,
      archived_at bigint not null,
      closed_at bigint,
      content ${text} not null,
      srs ${text} not null,
      given ${text} not null,
      polygons ${text} not null
    )`,
    `create index plan_requests_by_organisation on plan_requests (organisation_id, received_at, id)`,
    `create index plan_requests_by_reference on plan_requests (organisation_id, reference)`,
    `create table plan_request_zones (
      request_id ${text} not null references plan_requests (id),
      zone_id ${text} not null references plan_una_zones (id),
      una_id ${text} not null,
      una_name ${text} not null,
      organisation_id ${text} not null,
      received_at bigint not null,
      archived_at bigint not null,
      state ${text} not null,
      confirm_by bigint not null,
      answer_by bigint not null,
      closed_at bigint,
      primary key (request_id, zone_id)
    )`,
    `create index plan_request_zones_by_organisation on plan_request_zones (organisation_id, received_at, request_id)`,
    `create index plan_request_zones_by_zone on plan_request_zones (zone_id, received_at)`,
  ];
  for (const statement of statements) {
    await sql.raw(statement).execute(trx);
  }
}
