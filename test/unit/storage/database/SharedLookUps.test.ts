/* eslint-disable @typescript-eslint/explicit-function-return-type -- the type of a query says it */
import { AsyncLocalStorage } from 'node:async_hooks';
import { LookUp } from '../../../../src/storage/database/LookUp';
import type { OpenRecords } from '../../../../src/storage/openRecords';
import { parseWebId } from '../../../../src/platform/webId';
import { StatementCounter } from '../../../support/StatementCounter';
import { databaseUrl } from '../../../support/postgres';
import { atOnce, citizenNumber, now, postgresPlace } from '../places';
import type { Place } from '../places';

const byId = new LookUp(({ db }, id: string) =>
  db.selectFrom('citizens').select([ 'id', 'webId', 'state' ]).where('id', '=', id));
const byIds = new LookUp(({ db, engine }, ids: readonly string[], at: number) =>
  db.selectFrom('citizens').select('id').where(engine.isAnyOf('id', ids)).where('createdAt', '<=', at)
    .orderBy('id', 'desc'));
const frequentById = new LookUp(({ db }, id: string) =>
  db.selectFrom('citizens').select([ 'id', 'webId', 'createdAt', 'brought' ])
    .where('id', '=', id), { isFrequent: true });
const frequentByIds = new LookUp(({ db, engine }, ids: readonly string[], at: number) =>
  db.selectFrom('citizens').select('id').where(engine.isAnyOf('id', ids)).where('createdAt', '<=', at)
    .orderBy('id', 'desc'), { isFrequent: true });
const frequentTimes = new LookUp(({ db }, id: string) =>
  db.selectFrom('citizens').select('createdAt').where('id', '=', id), { isFrequent: true });

describe('Look-ups that share a statement', (): void => {
  let place: Place;
  let open: OpenRecords;

  beforeAll(async(): Promise<void> => {
    place = await postgresPlace(databaseUrl!);
    open = await place.open();
    await atOnce(3, async(index): Promise<unknown> => open.records.citizens.insertOrGet({
      id: `c${index}`,
      webId: parseWebId(`https://pod.example/c${index}/profile/card#me`),
      podUrl: `https://pod.example/c${index}/`,
      nationalNumber: citizenNumber(index),
      createdAt: now,
    }));
  });

  afterAll(async(): Promise<void> => place.remove());

  it('find what each of them finds alone.', async(): Promise<void> => {
    const { db, engine } = open.tables;
    const ids = [ 'c0', 'c1', 'c2', 'nobody', '\'; --', 'c1', '\uD800', 'c0' ];
    const alone = [];
    for (const id of ids) {
      alone.push(await byId.all(db, engine, id));
    }
    const together = await Promise.all(ids.map(async(id): Promise<unknown[]> => byId.all(db, engine, id)));
    expect(together).toEqual(alone);
    const lists = [[ 'c0', 'c2' ], [], [ 'c1' ], [ 'nobody', 'c2', 'c1' ]];
    const found = await Promise.all(lists.map(async(list): Promise<unknown[]> =>
      byIds.all(db, engine, list, now.getTime())));
    expect(found).toEqual([[{ id: 'c2' }, { id: 'c0' }], [], [{ id: 'c1' }], [{ id: 'c2' }, { id: 'c1' }]]);
  });

  it('of several kinds find in one statement what each of them finds alone.', async(): Promise<void> => {
    const counter = await StatementCounter.start(place.records);
    const { db, engine } = (await place.open({ records: counter.url })).tables;
    const asked = [ 'c1', '\'; --', 'nobody', 'c0' ].flatMap(id => [
      async(): Promise<unknown[]> => frequentById.all(db, engine, id),
      async(): Promise<unknown[]> => frequentByIds.all(db, engine, [ 'c2', id ], now.getTime()),
      async(): Promise<unknown[]> => frequentTimes.all(db, engine, id),
    ]);
    const alone = [];
    for (const ask of asked) {
      alone.push(await ask());
    }
    let together;
    const statements = await counter.during(async(): Promise<void> => {
      together = await Promise.all(asked.map(async(ask): Promise<unknown[]> => ask()));
    });
    expect(together).toEqual(alone);
    expect(statements).toHaveLength(1);
    // A query that fails a statement does not affect the results of others.
    const [ found, ...spoilt ] = await Promise.allSettled([ asked[0](), frequentTimes.all(db, engine, 'a\0b') ]);
    expect(found).toMatchObject({ status: 'fulfilled', value: alone[0] });
    expect(spoilt).toMatchObject([{ status: 'rejected' }]);
    await counter.stop();
  });

  it('get rows of their own, even for equal queries.', async(): Promise<void> => {
    const { db, engine } = open.tables;
    const [ one, other ] = await atOnce(2, async(): Promise<object[]> => byId.all(db, engine, 'c0'));
    expect(one).toEqual(other);
    expect(one[0]).not.toBe(other[0]);
  });

  it('see nothing of open transactions, and everything committed before.', async(): Promise<void> => {
    const { db, engine } = open.tables;
    async function states(): Promise<string[]> {
      const found = await atOnce(5, async(): Promise<{ state: string }[]> => byId.all(db, engine, 'c2'));
      return [ ...new Set(found.map(([{ state }]): string => state)) ];
    }
    await open.tables.transaction(async(trx): Promise<void> => {
      await trx.updateTable('citizens').set({ state: 'ACTIVE' }).where('id', '=', 'c2').execute();
      const [ outside, inside ] = await Promise.all([ states(), byId.all(trx, engine, 'c2') ]);
      expect([ outside, inside[0].state ]).toEqual([[ 'CREATING' ], 'ACTIVE' ]);
    });
    await expect(states()).resolves.toEqual([ 'ACTIVE' ]);
  });

  it('continue each in its own context, whoever began the statement.', async(): Promise<void> => {
    const context = new AsyncLocalStorage<number>();
    const { db, engine } = open.tables;
    const seen = await atOnce(10, async(index): Promise<unknown> => context.run(index, async(): Promise<unknown> => {
      const [{ id }] = await byId.all(db, engine, `c${index % 3}`);
      return [ id, context.getStore() ];
    }));
    expect(seen).toEqual(seen.map((...[ , index ]): unknown => [ `c${index % 3}`, index ]));
  });

  it('find no new keys where there are none.', async(): Promise<void> => {
    const changes = await atOnce(5, async(): Promise<boolean> => open.keys.refresh());
    expect(changes).toEqual([ false, false, false, false, false ]);
    const counter = await StatementCounter.start(place.records);
    const { keys } = await place.open({ records: counter.url });
    await expect(counter.during(async(): Promise<void> => expect(keys.refresh()).resolves.toBe(false)))
      .resolves.toHaveLength(1);
    await counter.stop();
  });
});
