import { sql } from 'kysely';
import type { Database } from '../schema';

/** Number of positions: in JSON of polygons each has one comma inside, and all but the last are followed by another. */
const positions = `(length(polygons) - length(replace(polygons, ',', '')) + 1) / 2`;

/**
 * Records what is limited for each organisation: the positions of its zones, and its waiting tests. Deletes geometries
 * of removed zones.
 */
export async function up(trx: Database): Promise<void> {
  const statements = [
    `delete from plan_zone_geometries where zone_id in (select id from plan_una_zones where removed_at is not null)`,
    `update plan_pda_zones set given = '', polygons = '[]' where removed_at is not null`,
    `alter table plan_zone_geometries add column positions integer not null default 0`,
    `update plan_zone_geometries set positions = ${positions}`,
    `alter table plan_pda_zones add column positions integer not null default 0`,
    `update plan_pda_zones set positions = ${positions}`,
    `alter table plan_una_zones add column positions integer not null default 0`,
    `update plan_una_zones set positions = (select coalesce(sum(plan_zone_geometries.positions), 0)
      from plan_zone_geometries where plan_zone_geometries.zone_id = plan_una_zones.id)`,
    `create index plan_packages_waiting on plan_packages (organisation_id)
      where finished_at is null and request_id is null`,
  ];
  for (const statement of statements) {
    await sql.raw(statement).execute(trx);
  }
}
