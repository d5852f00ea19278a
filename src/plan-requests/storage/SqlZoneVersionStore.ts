import type { Database } from '../../storage/schema';
import type { Polygons } from '../geometry/polygons';
import type { ZoneChanges, ZoneVersionStore } from '../PlanStores';
import { groupBy } from '../../platform/lists';
import { parseOwn } from '../../platform/ownJson';
import { toUna } from './SqlUnaStore';
import { currentVersion, nextVersion } from './zoneVersion';

type UnaZoneChange = ZoneChanges['unaZones'][number];
type PdaZoneChange = ZoneChanges['pdaZones'][number];

/** Changes of zones in the records. */
export class SqlZoneVersionStore implements ZoneVersionStore {
  public constructor(private readonly db: Database) {}

  public async current(): Promise<number> {
    return currentVersion(this.db);
  }

  /** Counts a change, which holds the lock on both engines. */
  public async lock(): Promise<void> {
    await nextVersion(this.db);
  }

  /**
   * Reads the version first, so that a concurrent change is read again the next time instead of being missed, and
   * authorities last, so that those of all zones are there.
   */
  public async listAfter(version: number): Promise<ZoneChanges> {
    const { db } = this;
    const current = await currentVersion(db);
    const unaZones = await this.listUnaZones(version);
    const pdaZones = await db.selectFrom('planPdaZones').select([ 'id', 'organisationId', 'polygons', 'removedAt' ])
      .where('version', '>', version)
      .execute();
    const unas = await db.selectFrom('planUnas').selectAll().where('version', '>', version).execute();
    return {
      version: current,
      unas: unas.map(toUna),
      unaZones,
      pdaZones: pdaZones.map(({ id, organisationId, polygons, removedAt }): PdaZoneChange =>
        ({ id, organisationId, ...removedAt === null && { polygons: [ parseOwn<Polygons>(polygons) ]}})),
    };
  }

  private async listUnaZones(version: number): Promise<UnaZoneChange[]> {
    const zones = await this.db.selectFrom('planUnaZones').select([ 'id', 'unaId', 'removedAt' ])
      .where('version', '>', version)
      .execute();
    const geometries = await this.db.selectFrom('planZoneGeometries')
      .innerJoin('planUnaZones', 'planUnaZones.id', 'planZoneGeometries.zoneId')
      .select([ 'planZoneGeometries.zoneId', 'planZoneGeometries.polygons' ])
      .where('planUnaZones.version', '>', version)
      .execute();
    const byZone = groupBy(geometries, ({ zoneId }): string => zoneId);
    return zones.map(({ id, unaId, removedAt }): UnaZoneChange => ({
      id,
      unaId,
      ...removedAt === null && {
        polygons: (byZone.get(id) ?? []).map(({ polygons }): Polygons => parseOwn(polygons)),
      },
    }));
  }
}
