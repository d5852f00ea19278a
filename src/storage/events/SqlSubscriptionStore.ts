import { sql } from 'kysely';
import type { EventType } from '../../events/Event';
import type { PushState, Subscription, SubscriptionStore } from '../../events/SubscriptionStore';
import { toDate, toList, toTime } from '../columns';
import { atomically } from '../database/engine';
import type { Engine } from '../database/engine';
import type { Database, SubscriptionTable } from '../schema';
import type { WebId } from '../../platform/webId';
import { numbering } from './SqlEventStore';

/** Maximum data users whose new events are noticed at a time. */
const noticedAtOnce = 500;

/** Subscriptions in the records. */
export class SqlSubscriptionStore implements SubscriptionStore {
  public constructor(
    private readonly db: Database,
    private readonly engine: Engine,
  ) {}

  public async lock(dataUser: WebId): Promise<void> {
    await numbering.run(this.db, dataUser, 0);
  }

  public async insert(subscription: Subscription): Promise<boolean> {
    const { numInsertedOrUpdatedRows = 0n } = await this.db.insertInto('subscriptions').values(toRow(subscription))
      .onConflict(conflict => conflict.columns([ 'dataUser', 'endpoint' ]).doNothing())
      .executeTakeFirstOrThrow();
    return numInsertedOrUpdatedRows > 0;
  }

  public async find(id: string): Promise<Subscription | undefined> {
    const row = await this.db.selectFrom('subscriptions').selectAll().where('id', '=', id).executeTakeFirst();
    return row && toSubscription(row);
  }

  public async list(dataUser?: WebId): Promise<Subscription[]> {
    const all = this.db.selectFrom('subscriptions').selectAll().orderBy('createdAt').orderBy('id');
    const rows = await (dataUser === undefined ? all : all.where('dataUser', '=', dataUser)).execute();
    return rows.map(toSubscription);
  }

  public async remove(id: string): Promise<boolean> {
    const { numDeletedRows } = await this.db.deleteFrom('subscriptions').where('id', '=', id).executeTakeFirst();
    return numDeletedRows > 0n;
  }

  public async removeAllOf(dataUser: WebId): Promise<void> {
    await this.db.deleteFrom('subscriptions').where('dataUser', '=', dataUser).execute();
  }

  public async change(subscription: Subscription): Promise<boolean> {
    const { id, revision, ...row } = toRow(subscription);
    const { numUpdatedRows } = await this.db.updateTable('subscriptions')
      .set({ ...row, revision: sql<number>`revision + 1` })
      .where('id', '=', id)
      .where('revision', '=', revision)
      .executeTakeFirstOrThrow();
    return numUpdatedRows > 0;
  }

  public async notice(now: Date): Promise<void> {
    const news = await this.db.selectFrom('eventFeeds').select([ 'dataUser', 'last' ])
      .whereRef('last', '>', 'noticed')
      .limit(noticedAtOnce)
      .execute();
    if (news.length === 0) {
      return;
    }
    await atomically(this.db, async(trx): Promise<void> => {
      for (const { dataUser, last } of news) {
        await trx.updateTable('eventFeeds').set({ noticed: last }).where('dataUser', '=', dataUser).execute();
      }
      await trx.updateTable('subscriptions').set({ dueAt: now.getTime() })
        .where(this.engine.isAnyOf('dataUser', news.map(({ dataUser }): string => dataUser)))
        .where('status', '=', 'ACTIVE')
        .where('dueAt', 'is', null)
        .execute();
    });
  }

  public async wake(now: Date, latest: Date): Promise<void> {
    await this.db.updateTable('subscriptions').set({ dueAt: now.getTime() })
      .where('status', '=', 'ACTIVE')
      .where(row => row.or([
        row('dueAt', '>', latest.getTime()),
        row.and([
          row('dueAt', 'is', null),
          row.exists(row.selectFrom('eventFeeds').select('last')
            .whereRef('eventFeeds.dataUser', '=', 'subscriptions.dataUser')
            .whereRef('last', '>', 'position')),
        ]),
      ]))
      .execute();
  }

  public async listDue(now: Date, isFailing: boolean, limit: number): Promise<Subscription[]> {
    const rows = await this.db.selectFrom('subscriptions').selectAll()
      .where('dueAt', '<=', now.getTime())
      .where('attempts', isFailing ? '>' : '=', 0)
      .orderBy('dueAt')
      .limit(limit)
      .execute();
    return rows.map(toSubscription);
  }

  public async record({ id, revision }: Pick<Subscription, 'id' | 'revision'>, state: PushState): Promise<boolean> {
    const { attempts, dueAt, failingSince, lastFailure, position, status } = state;
    const { numUpdatedRows } = await this.db.updateTable('subscriptions')
      .set({
        attempts,
        position,
        status,
        dueAt: toTime(dueAt),
        failingSince: toTime(failingSince),
        lastFailure: lastFailure ?? null,
      })
      .where('id', '=', id)
      .where('revision', '=', revision)
      .where('position', '<=', position)
      .executeTakeFirstOrThrow();
    return numUpdatedRows > 0;
  }
}

function toRow({ createdAt, dueAt, events, failingSince, lastFailure, ...rest }: Subscription): SubscriptionTable {
  return {
    ...rest,
    events: events ? JSON.stringify(events) : null,
    dueAt: toTime(dueAt),
    failingSince: toTime(failingSince),
    lastFailure: lastFailure ?? null,
    createdAt: createdAt.getTime(),
  };
}

function toSubscription(
  { createdAt, dueAt, events, failingSince, lastFailure, ...row }: SubscriptionTable,
): Subscription {
  return {
    ...row,
    status: row.status,
    events: events === null ? undefined : toList<EventType>(events),
    dueAt: toDate(dueAt),
    failingSince: toDate(failingSince),
    lastFailure: lastFailure ?? undefined,
    createdAt: toDate(createdAt),
  };
}
