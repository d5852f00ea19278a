import { sql } from 'kysely';
import type { FeedEvent, NewEvent } from '../../events/Event';
import type { EventStore, FeedPage, Outbox } from '../../events/EventStore';
import type { Clock, NewId } from '../../platform/clock';
import { groupBy } from '../../platform/lists';
import { parseOwn } from '../../platform/ownJson';
import type { WebId } from '../../platform/webId';
import { toDate } from '../columns';
import { atomically } from '../database/engine';
import { Insertion, Statement } from '../database/Statement';
import type { Database, EventTable } from '../schema';

/** Reserves numbers in a feed, and locks its row: nobody else can add to the feed until the transaction ends. */
export const numbering = new Statement((db, dataUser: WebId, last: number) =>
  db.insertInto('eventFeeds').values({ dataUser, last, forgotten: sql.lit(0), noticed: sql.lit(0) })
    .onConflict(conflict => conflict.column('dataUser')
      .doUpdateSet(row => ({ last: sql<number>`${row.ref('eventFeeds.last')} + ${row.ref('excluded.last')}` })))
    .returning('last'));
/** Time at which an event was written; in a row from a node of an earlier version, the time of its cause. */
const arrival = sql<number>`coalesce(written_at, at)`;
const insertion = new Insertion<EventTable>((db, row) => db.insertInto('events').values(row));

/** Sources of the ids and times of written events. */
export interface EventOrigins {
  newId: NewId;
  clock: Clock;
}

/**
 * Writes events into their feeds. Must be called last in a transaction: feeds are locked as briefly as possible, always
 * in the same order, and events that are committed first have the lower numbers.
 */
async function writeEvents(
  trx: Database,
  events: readonly NewEvent[],
  { clock, newId }: EventOrigins,
): Promise<void> {
  const writtenAt = clock().getTime();
  const feeds = groupBy(events, ({ dataUser }): WebId => dataUser);
  for (const [ dataUser, added ] of [ ...feeds ].sort(([ left ], [ right ]): number => left < right ? -1 : 1)) {
    const [{ last }] = await numbering.run(trx, dataUser, added.length);
    for (const [ index, { at, data, type }] of added.entries()) {
      await insertion.run(trx, {
        dataUser,
        number: last - added.length + index + 1,
        id: newId(),
        type,
        at: at.getTime(),
        writtenAt,
        data: JSON.stringify(data),
      });
    }
  }
}

/** Collects the events of a transaction, which are written when it ends. */
export class TransactionOutbox implements Outbox {
  private events: NewEvent[] = [];

  public constructor(
    private readonly trx: Database,
    private readonly origins: EventOrigins,
  ) {}

  public async raise(events: readonly NewEvent[]): Promise<void> {
    this.events.push(...events);
  }

  /** Writes the events raised so far. */
  public async flush(): Promise<void> {
    const { events } = this;
    this.events = [];
    await writeEvents(this.trx, events, this.origins);
  }
}

/** The feeds of events in the records. */
export class SqlEventStore implements EventStore {
  /**
   * @param db - Connection to the records, or a transaction.
   * @param origins - Makes ids and times of events.
   * @param outbox - The transaction's outbox, if `db` is a transaction.
   */
  public constructor(
    private readonly db: Database,
    private readonly origins: EventOrigins,
    private readonly outbox?: Outbox,
  ) {}

  public async raise(events: readonly NewEvent[]): Promise<void> {
    await atomically(this.db, async(trx): Promise<void> => this.raiseIn(trx, events));
  }

  /** Raises events at the end of work in a transaction: this store's, or the work's own. */
  public async raiseIn(trx: Database, events: readonly NewEvent[]): Promise<void> {
    await (this.outbox?.raise(events) ?? writeEvents(trx, events, this.origins));
  }

  /** Reads the extent of the feed last, so that events forgotten in between do not seem to be there. */
  public async list(dataUser: WebId, after: number, limit: number): Promise<FeedPage> {
    const rows = await this.db.selectFrom('events').selectAll()
      .where('dataUser', '=', dataUser)
      .where('number', '>', after)
      .orderBy('number')
      .limit(limit)
      .execute();
    const feed = await this.db.selectFrom('eventFeeds').select([ 'last', 'forgotten' ])
      .where('dataUser', '=', dataUser)
      .executeTakeFirst();
    return { events: rows.map(toEvent), last: feed?.last ?? 0, forgotten: feed?.forgotten ?? 0 };
  }

  public async forget(before: Date, most: number): Promise<number> {
    return atomically(this.db, async(trx): Promise<number> => {
      const old = await trx.selectFrom('events').select([ 'dataUser', 'number' ])
        .where(arrival, '<', before.getTime())
        .orderBy(arrival)
        .limit(most)
        .execute();
      const ends = new Map<WebId, number>();
      for (const { dataUser, number } of old) {
        ends.set(dataUser, Math.max(number, ends.get(dataUser) ?? 0));
      }
      for (const [ dataUser, end ] of [ ...ends ].sort(([ left ], [ right ]): number => left < right ? -1 : 1)) {
        await trx.updateTable('eventFeeds').set({ forgotten: end })
          .where('dataUser', '=', dataUser)
          .where('forgotten', '<', end)
          .execute();
        await trx.deleteFrom('events').where('dataUser', '=', dataUser).where('number', '<=', end).execute();
      }
      return old.length;
    });
  }
}

function toEvent({ at, data, dataUser, id, number, type }: EventTable): FeedEvent {
  return {
    dataUser,
    number,
    id,
    type,
    at: toDate(at),
    data: parseOwn(data),
  };
}
