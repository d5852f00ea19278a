import type { FeedEvent, NewEvent } from '../../../../src/events/Event';
import type { Records } from '../../../../src/platform/Records';
import type { Stores } from '../../../../src/storage/Stores';
import { parseWebId } from '../../../../src/platform/webId';
import { atOnce, later, now, places } from '../places';
import type { Place } from '../places';
import { grant } from '../rows';

const dataUser = parseWebId('https://user.example/#us');
const other = parseWebId('https://other.example/#us');

function event(name: string, changes: Partial<NewEvent> = {}): NewEvent {
  return { dataUser, type: 'AccessGranted', at: now, data: { accessGrant: name }, ...changes };
}

function names(events: readonly FeedEvent[]): (string | undefined)[] {
  return events.map(({ data }): string | undefined => data.accessGrant);
}

describe.each(places)('The store of events, on %s', (engine, makePlace): void => {
  let place: Place;
  let records: Records<Stores>;

  beforeEach(async(): Promise<void> => {
    place = await makePlace();
    ({ records } = await place.open());
  });

  afterEach(async(): Promise<void> => place.remove());

  it('lists the events of each data user in their order.', async(): Promise<void> => {
    await records.events.raise([ event('a'), event('x', { dataUser: other }), event('b') ]);
    await records.transaction(async({ events }): Promise<void> => {
      await events.raise([ event('c') ]);
      await events.raise([ event('d') ]);
    });
    const page = await records.events.list(dataUser, 0, 3);
    expect(page).toMatchObject({ last: 4, forgotten: 0 });
    expect(page.events.map(({ number }): number => number)).toEqual([ 1, 2, 3 ]);
    expect(names(page.events)).toEqual([ 'a', 'b', 'c' ]);
    expect(names((await records.events.list(dataUser, 3, 3)).events)).toEqual([ 'd' ]);
    expect(names((await records.events.list(other, 0, 3)).events)).toEqual([ 'x' ]);
    await expect(records.events.list(parseWebId('https://nobody.example/'), 0, 3))
      .resolves.toEqual({ events: [], last: 0, forgotten: 0 });
  });

  it('contains nothing of a transaction that fails.', async(): Promise<void> => {
    await expect(records.transaction(async({ events }): Promise<void> => {
      await events.raise([ event('a') ]);
      throw new Error('failed');
    })).rejects.toThrow('failed');
    await expect(records.events.list(dataUser, 0, 3)).resolves.toEqual({ events: [], last: 0, forgotten: 0 });
  });

  it('skips nothing for a reader while nodes add at once, and keeps causal order.', async(): Promise<void> => {
    const nodes = [ records, (await place.open()).records ];
    const read: FeedEvent[] = [];
    let isWriting = true;
    const reading = (async(): Promise<void> => {
      for (let isLast = false; !isLast;) {
        isLast = !isWriting;
        read.push(...(await records.events.list(dataUser, read.at(-1)?.number ?? 0, 3)).events);
      }
    })();
    await atOnce(8, async(writer): Promise<void> => {
      for (let turn = 0; turn < 10; turn += 1) {
        await nodes[writer % 2].transaction(async({ events, sweeps }): Promise<void> => {
          await events.raise([ event(`${writer}-${turn}`), event('x', { dataUser: other }) ]);
          await sweeps.find();
        });
      }
    });
    isWriting = false;
    await reading;
    read.push(...(await records.events.list(dataUser, read.at(-1)!.number, 100)).events);
    expect(read.map(({ number }): number => number))
      .toEqual(Array.from({ length: 80 }, (_, index): number => index + 1));
    for (let writer = 0; writer < 8; writer += 1) {
      expect(names(read).filter((name): boolean => name!.startsWith(`${writer}-`)))
        .toEqual(Array.from({ length: 10 }, (_, turn): string => `${writer}-${turn}`));
    }
  });

  it('removes events written long ago, with all before them.', async(): Promise<void> => {
    async function raiseAt(clock: Date, ...events: NewEvent[]): Promise<void> {
      const opened = await place.open({ clock: (): Date => clock });
      await opened.records.events.raise(events);
    }
    await raiseAt(later(-90), event('a'));
    // The clock was ahead.
    await raiseAt(later(90), event('b'));
    await raiseAt(later(-90), event('c'));
    await raiseAt(now, event('d', { at: later(-9000) }), event('x', { dataUser: other }));
    await expect(records.events.forget(later(-60), 10)).resolves.toBe(2);
    const page = await records.events.list(dataUser, 0, 10);
    expect(names(page.events)).toEqual([ 'd' ]);
    expect(page).toMatchObject({ last: 4, forgotten: 3 });
    await expect(records.events.list(other, 0, 10)).resolves.toMatchObject({ last: 1, forgotten: 0 });
    await expect(records.events.forget(later(-60), 10)).resolves.toBe(0);
  });

  it('contains the end of each grant once, whoever notices it.', async(): Promise<void> => {
    const nodes = [ records, (await place.open()).records ];
    for (let index = 0; index < 6; index += 1) {
      await records.grants.insert(grant(`g${index}`, { expiresAt: later(index - 3) }));
    }
    await records.grants.insert(grant('request', { kind: 'request', expiresAt: later(-9) }));
    await atOnce(6, async(index): Promise<number> => nodes[index % 2].grants.settle(now, 2));
    await records.grants.settle(now, 10);
    const { events } = await records.events.list(dataUser, 0, 10);
    expect(events.map(({ at, data, type }): string => `${type} ${at.toISOString()} ${data.accessGrant}`).toSorted())
      .toEqual([ 0, 1, 2, 3 ].map((index): string =>
        `AccessExpired ${later(index - 3).toISOString()} https://pod.example/.access/vc/g${index}`));
  });

  it('finds ended grants without reading the rest.', async(): Promise<void> => {
    const explain = engine === 'SQLite' ? 'explain query plan' : 'explain';
    const plan = JSON.stringify(await place.sql(
      `${explain} select id from access_grants where state = 'open' and expires_at <= 1 order by expires_at limit 5`,
    ));
    expect(plan).toContain('access_grants_to_expire');
  });

  it.each([
    [ 'access_grants', 'id' ],
    [ 'grant_resources', 'grant_id' ],
    [ 'grant_purposes', 'grant_id' ],
  ])('marks ended rows by key in %s, however many there are.', async(table, key): Promise<void> => {
    const [ explain, isOne ] = engine === 'SQLite' ?
        [ 'explain query plan', `in (select value from json_each('["a"]'))` ] :
        [ 'explain', `= any('{a}')` ];
    const plan = JSON.stringify(await place.sql(
      `${explain} update ${table} set state = 'expired' where ${key} ${isOne}`,
    ));
    expect(plan).toContain(engine === 'SQLite' ? `SEARCH ${table} USING COVERING INDEX` : `${table}_pkey`);
  });
});
