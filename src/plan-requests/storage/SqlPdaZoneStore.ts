import type { Database, PlanPdaZoneTable } from '../../storage/schema';
import { countPositions } from '../geometry/polygons';
import type { PdaZone, PdaZoneStore } from '../PlanStores';
import { fromZone, toZone } from './zones';
import { nextVersion } from './zoneVersion';

/** Zones of public domain authorities in the records. */
export class SqlPdaZoneStore implements PdaZoneStore {
  public constructor(private readonly db: Database) {}

  public async find(id: string): Promise<PdaZone | undefined> {
    const row = await this.db.selectFrom('planPdaZones').selectAll()
      .where('id', '=', id)
      .where('removedAt', 'is', null)
      .executeTakeFirst();
    return row && toPdaZone(row);
  }

  public async listOf(organisationId: string): Promise<PdaZone[]> {
    const rows = await this.db.selectFrom('planPdaZones').selectAll()
      .where('organisationId', '=', organisationId)
      .where('removedAt', 'is', null)
      .orderBy('id')
      .execute();
    return rows.map(toPdaZone);
  }

  public async save({ id, name, organisationId, ...zone }: PdaZone): Promise<void> {
    const version = await nextVersion(this.db);
    const positions = countPositions(zone.polygons);
    const row = { id, name, organisationId, ...fromZone(zone), positions, removedAt: null, version };
    await this.db.insertInto('planPdaZones').values(row)
      .onConflict((conflict): ReturnType<ReturnType<typeof conflict.column>['doUpdateSet']> =>
        conflict.column('id').doUpdateSet(row))
      .execute();
  }

  public async remove(id: string, at: Date): Promise<void> {
    const version = await nextVersion(this.db);
    await this.db.updateTable('planPdaZones')
      .set({ removedAt: at.getTime(), version, given: '', polygons: '[]', positions: 0 })
      .where('id', '=', id)
      .execute();
  }
}

function toPdaZone({ id, name, organisationId, ...zone }: PlanPdaZoneTable): PdaZone {
  return { id, name, organisationId, ...toZone(zone) };
}
