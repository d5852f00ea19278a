import type { Engine } from '../../storage/database/engine';
import { openJson, planZonePlace, sealJson } from '../../storage/keys/planSeals';
import type { Vault } from '../../storage/keys/Vault';
import type { RecordsTables } from '../../storage/openRecords';
import type { Database, PlanUnaZoneTable } from '../../storage/schema';
import { countPositions } from '../geometry/polygons';
import type { RegistryState, UnaZone, UnaZoneStore, ZoneGeometry, ZoneSettings } from '../PlanStores';
import { fromZone, toZone } from './zones';
import { nextVersion } from './zoneVersion';

/** Settings of a removed zone: those with its contact are not kept. */
const noSettings: ZoneSettings = { language: 'nl', mails: {}};

/** Zones of utility network authorities in the records. Removed ones are kept for requests that refer to them. */
export class SqlUnaZoneStore implements UnaZoneStore {
  private readonly db: Database;
  private readonly engine: Engine;
  private readonly vault: Vault;

  public constructor({ db, engine, vault }: Pick<RecordsTables, 'db' | 'engine' | 'vault'>) {
    this.db = db;
    this.engine = engine;
    this.vault = vault;
  }

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
    await this.db.insertInto('planUnaZones').values({ ...row, positions: 0 })
      .onConflict((conflict): ReturnType<ReturnType<typeof conflict.column>['doUpdateSet']> =>
        conflict.column('id').doUpdateSet(row))
      .execute();
  }

  public async setRegistryState(id: string, registryState: RegistryState): Promise<void> {
    await this.db.updateTable('planUnaZones').set({ registryState }).where('id', '=', id).execute();
  }

  public async addGeometry({ id, zoneId, ...zone }: ZoneGeometry): Promise<void> {
    const positions = countPositions(zone.polygons);
    await this.touch(zoneId, positions);
    await this.db.insertInto('planZoneGeometries').values({ id, zoneId, ...fromZone(zone), positions }).execute();
  }

  public async removeGeometry(zoneId: string, id: string): Promise<boolean> {
    const removed = await this.db.deleteFrom('planZoneGeometries')
      .where('id', '=', id)
      .where('zoneId', '=', zoneId)
      .returning('positions')
      .executeTakeFirst();
    await this.touch(zoneId, -(removed?.positions ?? 0));
    return removed !== undefined;
  }

  public async removeGeometries(zoneId: string): Promise<void> {
    await this.db.deleteFrom('planZoneGeometries').where('zoneId', '=', zoneId).execute();
    await this.db.updateTable('planUnaZones').set({ positions: 0, version: await nextVersion(this.db) })
      .where('id', '=', zoneId)
      .execute();
  }

  public async remove(id: string, at: Date): Promise<void> {
    await this.vault.lock(this.db);
    await this.removeGeometries(id);
    const settings = sealJson(this.vault, planZonePlace(id), noSettings);
    await this.db.updateTable('planUnaZones').set({ removedAt: at.getTime(), settings }).where('id', '=', id).execute();
  }

  public async keep(ids: readonly string[]): Promise<number> {
    const query = this.db.selectFrom('planUnaZones').select('id')
      .where(this.engine.isAnyOf('id', ids))
      .where('removedAt', 'is', null)
      .orderBy('id');
    const rows = await (this.engine.rowLocks ? query.forShare() : query).execute();
    return rows.length;
  }

  private async touch(id: string, positions: number): Promise<void> {
    const version = await nextVersion(this.db);
    await this.db.updateTable('planUnaZones')
      .set((row): object => ({ version, positions: row('positions', '+', positions) }))
      .where('id', '=', id)
      .execute();
  }

  private async toUnaZone({ id, unaId, name, settings, registryState }: PlanUnaZoneTable): Promise<UnaZone> {
    return {
      id,
      unaId,
      name,
      settings: await openJson(this.vault, this.db, planZonePlace(id), settings),
      // Only values of this type were written to the column.
      registryState: registryState as RegistryState,
    };
  }
}
