import { sql } from 'kysely';
import type { Engine } from '../database/engine';
import type { Database } from '../schema';

/**
 * Makes an index, in the order of the list, for every filter on plan requests: adds the reference to the zones of
 * operators, and the progress of the answer to the municipalities.
 */
export async function up(trx: Database, { text }: Engine): Promise<void> {
  const statements = [
    `alter table plan_request_zones add column reference ${text} not null default ''`,
    `update plan_request_zones set reference =
      (select reference from plan_requests where plan_requests.id = plan_request_zones.request_id)`,
    `alter table plan_request_pdas add column package_by bigint not null default 0`,
    `alter table plan_request_pdas add column progress ${text} not null default 'none'`,
    `update plan_request_pdas set
      package_by = (select package_by from plan_requests where plan_requests.id = plan_request_pdas.request_id),
      progress = (select case
        when zones = 0 then 'nobody'
        when closed_at is null then case when plans = 0 then 'none' else 'some' end
        when plans = 0 then 'nothing'
        else 'plans'
      end from plan_requests where plan_requests.id = plan_request_pdas.request_id)`,
    `drop index plan_requests_by_reference`,
    `drop index plan_requests_by_index`,
    `drop index plan_request_zones_by_zone`,
    `create index plan_requests_by_reference on plan_requests (organisation_id, reference, received_at, id)`,
    `create index plan_requests_closed on plan_requests (organisation_id, received_at, id) where closed_at is not null`,
    `create index plan_request_zones_by_reference on plan_request_zones
      (organisation_id, reference, received_at, request_id)`,
    `create index plan_request_zones_closed on plan_request_zones (organisation_id, received_at, request_id)
      where closed_at is not null`,
    `create index plan_request_zones_by_zone on plan_request_zones (zone_id, received_at, request_id)`,
    `create index plan_request_zones_of_state on plan_request_zones (zone_id, state, received_at, request_id)`,
    `create index plan_request_zones_of_open on plan_request_zones (zone_id, received_at, request_id)
      where closed_at is null`,
    `create index plan_request_zones_of_closed on plan_request_zones (zone_id, received_at, request_id)
      where closed_at is not null`,
    `create index plan_request_pdas_by_progress on plan_request_pdas
      (organisation_id, progress, received_at, request_id, package_by)`,
    `create index plan_request_pdas_by_term on plan_request_pdas (organisation_id, progress, package_by)`,
  ];
  for (const statement of statements) {
    await sql.raw(statement).execute(trx);
  }
}
