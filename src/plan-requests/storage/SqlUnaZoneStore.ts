import { openJson, planZonePlace, sealJson } from '../../storage/keys/planSeals';
import type { Vault } from '../../storage/keys/Vault';
import type { Database, PlanUnaZoneTable } from '../../storage/schema';
import type { RegistryState, UnaZone, UnaZoneStore, ZoneGeometry, ZoneSettings } from '../PlanStores';
import { fromZone, toZone } from './zones';
import { nextVersion } from './zoneVersion';

/** Zones of utility network authorities in the records. Removed ones stay, for requests that name them. */
export class SqlUnaZoneStore implements UnaZoneStore {
  public constructor(private readonly db: Database, private readonly vault: Vault) {}

  public async find(id: string): Promise<UnaZone | undefined> {
    const row = await this.db.selectFrom('planUnaZones').selectAll()
      .where('id', '=', id)
      .where('removedAt', 'is', null)
      .executeTakeFirst();
    return row && this.toUnaZone(row);
  }

  public async findVersion(id: string): ReturnType<UnaZoneStore['findVersion']> {
    const row = await this.db.selectFrom('planUnaZones').selectAll().where('id', '=', id).executeTakeFirst();
    return row && { zone: await this.toUnaZone(row), version: row.version, isRemoved: row.removedAt !== null };
  }

  public async listGeometries(zoneId: string): Promise<ZoneGeometry[]> {
    const rows = await this.db.selectFrom('planZoneGeometries').selectAll().where('zoneId', '=', zoneId).orderBy('id')
      .execute();
    return rows.map(({ id, ...zone }): ZoneGeometry => ({ id, zoneId, ...toZone(zone) }));
  }

  public async save({ settings, ...zone }: UnaZone): Promise<void> {
    await this.vault.lock(this.db);
    const version = await nextVersion(this.db);
    const sealed = sealJson(this.vault, planZonePlace(zone.id), settings);
    const row = { ...zone, settings: sealed, removedAt: null, version };
    await this.db.insertInto('planUnaZones').values(row)
      .onConflict((conflict): ReturnType<ReturnType<typeof conflict.column>['doUpdateSet']> =>
        conflict.column('id').doUpdateSet(row))
      .execute();
  }

  public async setRegistryState(id: string, registryState: RegistryState): Promise<void> {
    await this.db.updateTable('planUnaZones').set({ registryState }).where('id', '=', id).execute();
  }

  public async addGeometry({ id, zoneId, ...zone }: ZoneGeometry): Promise<void> {
    await this.touch(zoneId);
    await this.db.insertInto('planZoneGeometries').values({ id, zoneId, ...fromZone(zone) }).execute();
  }

  public async removeGeometry(zoneId: string, id: string): Promise<boolean> {
    const { numDeletedRows } = await this.db.deleteFrom('planZoneGeometries')
      .where('id', '=', id)
      .where('zoneId', '=', zoneId)
      .executeTakeFirstOrThrow();
    await this.touch(zoneId);
    return numDeletedRows > 0n;
  }

  public async remove(id: string, at: Date): Promise<void> {
    await this.db.updateTable('planUnaZones').set({ removedAt: at.getTime(), version: await nextVersion(this.db) })
      .where('id', '=', id)
      .execute();
  }

  private async touch(id: string): Promise<void> {
    await this.db.updateTable('planUnaZones').set({ version: await nextVersion(this.db) }).where('id', '=', id)
      .execute();
  }

  private async toUnaZone({ id, unaId, name, settings, registryState }: PlanUnaZoneTable): Promise<UnaZone> {
    return {
      id,
      unaId,
      name,
      settings: await openJson(this.vault, this.db, planZonePlace(id), settings) as ZoneSettings,
      registryState: registryState as RegistryState,
    };
  }
}
