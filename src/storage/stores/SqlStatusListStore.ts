import { randomInt } from 'node:crypto';
import type { NotNull } from 'kysely';
import type { Clock, NewId } from '../../platform/clock';
import { statusListLength } from '../../credentials/StatusListStore';
import type { StatusEntry, StatusListKind, StatusListStore } from '../../credentials/StatusListStore';
import { toDate } from '../columns';
import type { Database, StatusEntryTable, StatusListTable } from '../schema';

/** Beyond this, most random places would be taken, and the remaining free ones would begin to reveal something. */
const mostUsed = statusListLength / 2;

/** Places taken at once: all are on disk before any of them is used. */
const takenAtOnce = 16;

/** Places of a kind that are taken but not used yet. */
interface Reserve {
  places: StatusEntry[];
  /** Settles when there are more. */
  filling?: Promise<void>;
}

/** Status lists in the records. */
export class SqlStatusListStore implements StatusListStore {
  private readonly reserves: Record<StatusListKind, Reserve> = { grants: { places: []}, credentials: { places: []}};

  public constructor(
    private readonly db: Database,
    private readonly clock: Clock,
    private readonly newId: NewId,
  ) {}

  /** Makes the first list of each kind, when the records are new. */
  public async start(): Promise<void> {
    for (const kind of [ 'grants', 'credentials' ] as const) {
      await this.makeList(kind, 1);
    }
  }

  /** Returns a place from the reserve. Places left in reserve are lost when the process ends. */
  public async allocate(kind: StatusListKind): Promise<StatusEntry> {
    const reserve = this.reserves[kind];
    for (;;) {
      const place = reserve.places.pop();
      if (place) {
        return place;
      }
      reserve.filling ??= this.fill(kind, reserve);
      await reserve.filling;
    }
  }

  public async revoke({ listId, index }: StatusEntry, at: Date): Promise<void> {
    await this.db.updateTable('statusEntries').set({ revokedAt: at.getTime() })
      .where('listId', '=', listId)
      .where('position', '=', index)
      .where('revokedAt', 'is', null)
      .execute();
  }

  public async isRevoked(entry: StatusEntry): Promise<boolean> {
    return await this.findRevokedAt(entry) !== undefined;
  }

  public async findRevokedAt({ listId, index }: StatusEntry): Promise<Date | undefined> {
    const row = await this.db.selectFrom('statusEntries').select('revokedAt')
      .where('listId', '=', listId)
      .where('position', '=', index)
      .executeTakeFirst();
    return toDate(row?.revokedAt ?? null);
  }

  public async read(
    kind: StatusListKind,
    listId: string,
  ): Promise<{ revoked: number[]; modified: Date } | undefined> {
    const list = await this.db.selectFrom('statusLists').select('createdAt')
      .where('id', '=', listId)
      .where('kind', '=', kind)
      .executeTakeFirst();
    if (!list) {
      return;
    }
    const rows = await this.db.selectFrom('statusEntries').select([ 'position', 'revokedAt' ])
      .where('listId', '=', listId)
      .where('revokedAt', 'is not', null)
      .$narrowType<{ revokedAt: NotNull }>()
      .orderBy('position')
      .execute();
    let modified = list.createdAt;
    for (const { revokedAt } of rows) {
      modified = Math.max(modified, revokedAt);
    }
    return { revoked: rows.map(({ position }): number => position), modified: toDate(modified) };
  }

  private async fill(kind: StatusListKind, reserve: Reserve): Promise<void> {
    try {
      reserve.places.push(...await this.take(kind));
    } finally {
      reserve.filling = undefined;
    }
  }

  /**
   * Takes places without a lock. The places of a list are counted only when a random one turns out to be taken, which
   * happens more often as the list fills up.
   */
  private async take(kind: StatusListKind): Promise<StatusEntry[]> {
    const { id: listId, ordinal } = await this.getNewest(kind);
    const positions = new Set(Array.from({ length: takenAtOnce }, (): number => randomInt(statusListLength)));
    const taken = await this.db.insertInto('statusEntries')
      .values([ ...positions ].map((position): StatusEntryTable => ({ listId, position, revokedAt: null })))
      .onConflict(conflict => conflict.doNothing())
      .returning('position')
      .execute();
    if (taken.length < positions.size && await this.isHalfFull(listId)) {
      await this.makeList(kind, ordinal + 1);
    }
    return taken.map(({ position }): StatusEntry => ({ listId, index: position }));
  }

  private async getNewest(kind: StatusListKind): Promise<Pick<StatusListTable, 'id' | 'ordinal'>> {
    return this.db.selectFrom('statusLists').select([ 'id', 'ordinal' ])
      .where('kind', '=', kind)
      .orderBy('ordinal', 'desc')
      .limit(1)
      .executeTakeFirstOrThrow();
  }

  private async isHalfFull(listId: string): Promise<boolean> {
    const { used } = await this.db.selectFrom('statusEntries')
      .select(({ fn }) => fn.countAll<number>().as('used'))
      .where('listId', '=', listId)
      .executeTakeFirstOrThrow();
    return used >= mostUsed;
  }

  /** Makes a list. When another process makes it first, that one is the newest. */
  private async makeList(kind: StatusListKind, ordinal: number): Promise<void> {
    await this.db.insertInto('statusLists')
      .values({ id: this.newId(), kind, ordinal, createdAt: this.clock().getTime() })
      .onConflict(conflict => conflict.columns([ 'kind', 'ordinal' ]).doNothing())
      .execute();
  }
}
