import { sql } from 'kysely';
import type { Database } from '../../storage/schema';
import type { Holdings, HoldingStore } from '../PlanStores';

const count = sql<number>`count(*)`.as('count');

/** Counts the holdings of organisations in the records. */
export class SqlHoldingStore implements HoldingStore {
  public constructor(private readonly db: Database) {}

  public async get(organisationId: string): Promise<Holdings> {
    const { db } = this;
    const unas = await db.selectFrom('planUnas').select(count)
      .where('organisationId', '=', organisationId)
      .executeTakeFirstOrThrow();
    const unaZones = await db.selectFrom('planUnaZones')
      .innerJoin('planUnas', 'planUnas.id', 'planUnaZones.unaId')
      .select([ count, sql<number>`coalesce(sum(plan_una_zones.positions), 0)`.as('positions') ])
      .where('planUnas.organisationId', '=', organisationId)
      .where('planUnaZones.removedAt', 'is', null)
      .executeTakeFirstOrThrow();
    const pdaZones = await db.selectFrom('planPdaZones')
      .select([ count, sql<number>`coalesce(sum(positions), 0)`.as('positions') ])
      .where('organisationId', '=', organisationId)
      .where('removedAt', 'is', null)
      .executeTakeFirstOrThrow();
    return {
      unas: unas.count,
      zones: unaZones.count + pdaZones.count,
      positions: unaZones.positions + pdaZones.positions,
    };
  }
}
