import { sql } from 'kysely';
import type { Engine } from '../database/engine';
import type { Database } from '../schema';

/** Makes tables for uploaded packages with their reports, and for jobs of plan requests that outlive a process. */
export async function up(trx: Database, { text }: Engine): Promise<void> {
  const statements = [
    `create table plan_packages (
      id ${text} primary key,
      request_id ${text} references plan_requests (id),
      zone_id ${text},
      organisation_id ${text} not null,
      size bigint not null,
      received_at bigint not null,
      finished_at bigint,
      state ${text} not null,
      report ${text} not null
    )`,
    `create index plan_packages_by_request on plan_packages (request_id, zone_id, received_at)`,
    `create index plan_packages_by_age on plan_packages (received_at)`,
    `create index plan_requests_by_archive on plan_requests (archived_at)`,
    `create table plan_jobs (
      id ${text} primary key,
      kind ${text} not null,
      subject ${text} not null,
      due_at bigint not null,
      attempts integer not null,
      holder ${text},
      held_until bigint not null,
      unique (kind, subject)
    )`,
    `create index plan_jobs_by_due on plan_jobs (due_at)`,
  ];
  for (const statement of statements) {
    await sql.raw(statement).execute(trx);
  }
}
