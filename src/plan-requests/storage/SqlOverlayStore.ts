import { toDate } from '../../storage/columns';
import type { Database } from '../../storage/schema';
import type { FoundUna, Overlay, OverlayStore } from '../PlanStores';
import { parseOwn } from '../../platform/ownJson';

/** Overlays in the records. */
export class SqlOverlayStore implements OverlayStore {
  public constructor(private readonly db: Database) {}

  public async find(id: string): Promise<Overlay | undefined> {
    const row = await this.db.selectFrom('planOverlays').selectAll().where('id', '=', id).executeTakeFirst();
    return row && { ...row, createdAt: toDate(row.createdAt), unas: parseOwn<FoundUna[]>(row.unas) };
  }

  public async save({ createdAt, unas, ...overlay }: Overlay): Promise<void> {
    const row = { ...overlay, createdAt: createdAt.getTime(), unas: JSON.stringify(unas) };
    await this.db.insertInto('planOverlays').values(row).execute();
  }

  public async removeBefore(moment: Date): Promise<void> {
    await this.db.deleteFrom('planOverlays').where('createdAt', '<', moment.getTime()).execute();
  }
}
