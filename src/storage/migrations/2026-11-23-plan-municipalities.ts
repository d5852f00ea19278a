import { sql } from 'kysely';
import type { Engine } from '../database/engine';
import type { Database } from '../schema';

/** Records which municipalities see a plan request, how many zones it was sent to and how many got plans in answer. */
export async function up(trx: Database, { text }: Engine): Promise<void> {
  const statements = [
    `create table plan_request_pdas (
      request_id ${text} not null references plan_requests (id),
      organisation_id ${text} not null,
      received_at bigint not null,
      archived_at bigint not null,
      primary key (request_id, organisation_id)
    )`,
    `create index plan_request_pdas_by_organisation on plan_request_pdas (organisation_id, received_at, request_id)`,
    `alter table plan_requests add column zones integer not null default 0`,
    `alter table plan_requests add column plans integer not null default 0`,
    `update plan_requests set zones =
      (select count(*) from plan_request_zones where plan_request_zones.request_id = plan_requests.id)`,
  ];
  for (const statement of statements) {
    await sql.raw(statement).execute(trx);
  }
}
