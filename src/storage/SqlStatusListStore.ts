/* eslint-disable @typescript-eslint/explicit-function-return-type -- query builders */
import { randomInt } from 'node:crypto';
import type { Clock, NewId } from '../clock';
import { statusListLength } from '../credentials/StatusListStore';
import type { StatusEntry, StatusListKind, StatusListStore } from '../credentials/StatusListStore';
import { toDate } from './columns';
import { atomically } from './engine';
import type { Database } from './schema';

/** Beyond this, a random place would be taken more often than not, and the free ones would begin to tell something. */
const mostUsed = statusListLength / 2;

/** Status lists in the records. */
export class SqlStatusListStore implements StatusListStore {
  public constructor(
    private readonly db: Database,
    private readonly clock: Clock,
    private readonly newId: NewId,
  ) {}

  public async allocate(kind: StatusListKind): Promise<StatusEntry> {
    return atomically(this.db, async(trx): Promise<StatusEntry> => {
      const listId = await this.takeRoom(trx, kind);
      for (;;) {
        const position = randomInt(statusListLength);
        const taken = await trx.insertInto('statusEntries').values({ listId, position, revokedAt: null })
          .onConflict(conflict => conflict.doNothing())
          .executeTakeFirstOrThrow();
        if (taken.numInsertedOrUpdatedRows === 1n) {
          return { listId, index: position };
        }
      }
    });
  }

  public async revoke({ listId, index }: StatusEntry, at: Date): Promise<void> {
    await atomically(this.db, async(trx): Promise<void> => {
      const { numUpdatedRows } = await trx.updateTable('statusEntries').set({ revokedAt: at.getTime() })
        .where('listId', '=', listId)
        .where('position', '=', index)
        .where('revokedAt', 'is', null)
        .executeTakeFirst();
      if (numUpdatedRows > 0n) {
        await trx.updateTable('statusLists').set({ modifiedAt: at.getTime() })
          .where('id', '=', listId)
          .where('modifiedAt', '<', at.getTime())
          .execute();
      }
    });
  }

  public async isRevoked({ listId, index }: StatusEntry): Promise<boolean> {
    const row = await this.db.selectFrom('statusEntries').select('revokedAt')
      .where('listId', '=', listId)
      .where('position', '=', index)
      .executeTakeFirst();
    return typeof row?.revokedAt === 'number';
  }

  public async read(
    kind: StatusListKind,
    listId: string,
  ): Promise<{ revoked: number[]; modified: Date } | undefined> {
    const list = await this.db.selectFrom('statusLists').select('modifiedAt')
      .where('id', '=', listId)
      .where('kind', '=', kind)
      .executeTakeFirst();
    if (!list) {
      return;
    }
    const rows = await this.db.selectFrom('statusEntries').select('position')
      .where('listId', '=', listId)
      .where('revokedAt', 'is not', null)
      .orderBy('position')
      .execute();
    return { revoked: rows.map(({ position }): number => position), modified: toDate(list.modifiedAt) };
  }

  /** Counts one more place in the newest list of this kind, or in a new list when that one is half full. */
  private async takeRoom(trx: Database, kind: StatusListKind): Promise<string> {
    const newest = await trx.selectFrom('statusLists').select([ 'id', 'ordinal' ])
      .where('kind', '=', kind)
      .orderBy('ordinal', 'desc')
      .executeTakeFirst();
    const counted = newest && await trx.updateTable('statusLists').set(({ eb }) => ({ used: eb('used', '+', 1) }))
      .where('id', '=', newest.id)
      .where('used', '<', mostUsed)
      .returning('id')
      .executeTakeFirst();
    if (counted) {
      return counted.id;
    }
    // Another process may make the list with this ordinal first: then its list is the newest.
    await trx.insertInto('statusLists')
      .values({
        id: this.newId(),
        kind,
        ordinal: (newest?.ordinal ?? 0) + 1,
        used: 0,
        modifiedAt: this.clock().getTime(),
      })
      .onConflict(conflict => conflict.columns([ 'kind', 'ordinal' ]).doNothing())
      .execute();
    return this.takeRoom(trx, kind);
  }
}
