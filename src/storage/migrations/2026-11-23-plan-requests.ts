import { sql } from 'kysely';
import type { Engine } from '../database/engine';
import type { Database } from '../schema';

/** Makes tables for network operators, municipalities and their zones. */
export async function up(trx: Database, { text }: Engine): Promise<void> {
  const statements = [
    `create table plan_versions (id integer primary key, version bigint not null)`,
    `create table plan_unas (
      id ${text} primary key,
      organisation_id ${text} not null,
      name ${text} not null,
      is_klim integer not null,
      signing_subject ${text},
      version bigint not null
    )`,
    `create index plan_unas_by_organisation on plan_unas (organisation_id)`,
    `create index plan_unas_by_version on plan_unas (version)`,
    `create table plan_una_zones (
      id ${text} primary key,
      una_id ${text} not null references plan_unas (id),
      name ${text} not null,
      settings ${text} not null,
      registry_state ${text} not null,
      removed_at bigint,
      version bigint not null
    )`,
    `create index plan_una_zones_by_una on plan_una_zones (una_id)`,
    `create index plan_una_zones_by_version on plan_una_zones (version)`,
    `create table plan_zone_geometries (
      id ${text} primary key,
      zone_id ${text} not null references plan_una_zones (id),
      srs ${text} not null,
      given ${text} not null,
      polygons ${text} not null
    )`,
    `create index plan_zone_geometries_by_zone on plan_zone_geometries (zone_id)`,
    `create table plan_pda_zones (
      id ${text} primary key,
      organisation_id ${text} not null,
      name ${text} not null,
      srs ${text} not null,
      given ${text} not null,
      polygons ${text} not null,
      removed_at bigint,
      version bigint not null
    )`,
    `create index plan_pda_zones_by_organisation on plan_pda_zones (organisation_id)`,
    `create index plan_pda_zones_by_version on plan_pda_zones (version)`,
    `create table plan_overlays (
      id ${text} primary key,
      organisation_id ${text} not null,
      created_at bigint not null,
      unas ${text} not null
    )`,
    `create index plan_overlays_by_age on plan_overlays (created_at)`,
  ];
  for (const statement of statements) {
    await sql.raw(statement).execute(trx);
  }
}
