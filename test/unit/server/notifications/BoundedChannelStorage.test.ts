import { ContainerPathStorage, KeyValueChannelStorage, NotFoundHttpError } from '@solid/community-server';
import type { NotificationChannel } from '@solid/community-server';
import { BoundedChannelStorage } from '../../../../src/server/notifications/BoundedChannelStorage';
import { OpenContainers } from '../../../../src/server/notifications/OpenContainers';
import { currentSubscriber, subscriberOf } from '../../../../src/server/notifications/Subscriber';
import type { Subscriber } from '../../../../src/server/notifications/Subscriber';
import { SealedStorage } from '../../../../src/server/sealing/SealedStorage';
import { counted, seals, stores } from '../holders/valueStores';
import type { Store } from '../holders/valueStores';

const anna = 'https://pod.example/anna/profile/card#me';
const bob = 'https://pod.example/bob/profile/card#me';
const address = '203.0.113.77';
const area = '/notifications/';

describe.each(stores)('Subscriptions in %s', (_, open): void => {
  let store: Store;
  let reads: number;
  let channels: Store['values'];
  let source: KeyValueChannelStorage;
  let storage: BoundedChannelStorage;
  let published: string[];
  /** URL of the closed pod. */
  let closed: string | undefined;
  let hear: (text: string) => void;

  beforeEach(async(): Promise<void> => {
    store = await open();
    reads = 0;
    published = [];
    closed = undefined;
    const values = counted(store.values, (): number => reads += 1);
    const locker = { withWriteLock: async(_id: unknown, work: () => unknown): Promise<unknown> => work() };
    channels = counted(store.at(area), (): number => reads += 1);
    source = new KeyValueChannelStorage(
      new SealedStorage(new ContainerPathStorage(values, area), area, seals) as never,
      locker as never,
    );
    storage = new BoundedChannelStorage({
      source,
      channels,
      channelArea: area,
      values,
      folders: counted(store.at('/subscribers/'), (): number => reads += 1),
      area: '/subscribers/',
      seals,
      relay: {
        publish: (text): unknown => published.push(text),
        subscribe(listener): void {
          hear = listener;
        },
      },
      containers: new OpenContainers({
        async requireOpen({ path }): Promise<void> {
          if (closed !== undefined && path.startsWith(closed)) {
            throw new NotFoundHttpError('This pod is gone.');
          }
        },
      }),
      maxSubscriptionsPerResource: 5000,
      maxSubscriptionsPerCaller: 5000,
      maxSubscriptionsPerAddress: 5000,
      maxSubscriptions: 10_000,
    });
  });

  afterEach(async(): Promise<void> => store.remove());

  async function subscribe(webId: string, name: string, topic: string, endAt?: number): Promise<string> {
    const id = `https://pod.example/.notifications/WebSocketChannel2023/${name}`;
    const channel = { id, topic, type: 'WebSocketChannel2023', endAt } as unknown as NotificationChannel;
    await currentSubscriber.run(subscriberOf({ agent: { webId }}, address), async(): Promise<void> =>
      storage.add(channel));
    return id;
  }

  /** All that is stored: names and values. */
  async function copy(): Promise<string[]> {
    const found: string[] = [];
    for await (const [ key, value ] of store.values.entries()) {
      found.push(`${key} ${JSON.stringify(value)}`);
    }
    return found;
  }

  it('do not come back when one that has just ended is updated.', async(): Promise<void> => {
    const id = await subscribe(anna, 'a1', 'https://pod.example/bob/diary');
    const channel = (await storage.get(id))!;
    await storage.update({ ...channel, lastEmit: 5 });
    await expect(storage.get(id)).resolves.toMatchObject({ lastEmit: 5 });
    const removed = storage.removeOf(anna);
    await storage.update({ ...channel, lastEmit: 7 });
    await removed;
    await storage.update({ ...channel, lastEmit: 9 });
    await expect(storage.get(id)).resolves.toBeUndefined();
  });

  it('do not come back when another process ends one that is being updated.', async(): Promise<void> => {
    const id = await subscribe(anna, 'a1', 'https://pod.example/bob/diary');
    const channel = (await storage.get(id))!;
    let isUpdating: (() => void) | undefined;
    const ended = new Promise<void>((resolve): void => {
      isUpdating = resolve;
    }).then(async(): Promise<unknown> => source.delete(id));
    const update = source.update.bind(source);
    source.update = async(updated): Promise<void> => {
      isUpdating!();
      await ended;
      await update(updated);
    };
    await storage.update({ ...channel, lastEmit: 5 });
    await expect(storage.get(id)).resolves.toBeUndefined();
  });

  it('do not stay when another process ends those of their WebID before they are stored.', async(): Promise<void> => {
    const add = source.add.bind(source);
    source.add = async(channel): Promise<void> => {
      await storage.removeOf(anna);
      await add(channel);
    };
    const topic = 'https://pod.example/bob/diary';
    await expect(subscribe(anna, 'a1', topic)).rejects.toMatchObject({ statusCode: 401 });
    await expect(storage.getAll({ path: topic })).resolves.toEqual([]);
  });

  it('do not stay when another process ends those to their pod before they are noted.', async(): Promise<void> => {
    const topic = 'https://pod.example/bob/diary';
    // The request was permitted before.
    closed = 'https://pod.example/bob/';
    await storage.removeOf(closed);
    await expect(subscribe(anna, 'a1', topic)).rejects.toMatchObject({ statusCode: 404 });
    await expect(storage.getAll({ path: topic })).resolves.toEqual([]);
    await expect(subscribe(anna, 'a2', 'https://pod.example/anna/diary')).resolves.toContain('a2');
  });

  it('do not stay when they are stored while another process ends those of their WebID.', async(): Promise<void> => {
    const topic = 'https://pod.example/bob/diary';
    const [ add, get ] = [ source.add.bind(source), source.get.bind(source) ];
    let store: (() => void) | undefined;
    let subscribing: Promise<string> | undefined;
    const noted = new Promise<void>((resolve): void => {
      source.add = async(channel): Promise<void> => {
        const stored = new Promise<void>((begin): void => {
          store = begin;
        });
        resolve();
        await stored;
        await add(channel);
      };
    });
    source.get = async(id): ReturnType<typeof get> => {
      const found = await get(id);
      source.get = get;
      store!();
      await subscribing;
      return found;
    };
    subscribing = subscribe(anna, 'a1', topic);
    await noted;
    await storage.removeOf(anna);
    await subscribing;
    await expect(storage.getAll({ path: topic })).resolves.toEqual([]);
  });

  it('do not reveal in a copy who subscribes to what, or from where.', async(): Promise<void> => {
    await subscribe(anna, 'a1', 'https://pod.example/bob/diary');
    const stored = (await copy()).join('\n');
    expect(stored.length).toBeGreaterThan(200);
    const digest = subscriberOf({}, address).address!;
    for (const told of [ anna, 'profile/card', 'bob/diary', 'WebSocketChannel2023', address, digest ]) {
      expect(stored).not.toContain(told);
      expect(stored).not.toContain(encodeURIComponent(told));
    }
  });

  it('of one WebID, or to one pod, are removed without reading hundreds of others.', async(): Promise<void> => {
    async function make(): Promise<string[]> {
      return [
        await subscribe(anna, 'a1', 'https://pod.example/bob/diary'),
        await subscribe(anna, 'a2', 'https://pod.example/anna/inbox/'),
        await subscribe(bob, 'b1', 'https://pod.example/anna/inbox/'),
        await subscribe(bob, 'b2', 'https://pod.example/anna/'),
      ];
    }
    async function cost(): Promise<number> {
      reads = 0;
      await storage.removeOf(anna);
      await storage.removeOf('https://pod.example/anna/');
      return reads;
    }
    const kept = await subscribe(bob, 'kept', 'https://pod.example/bob/diary');
    await make();
    const alone = await cost();
    for (let batch = 0; batch < 4; batch += 1) {
      await Promise.all(Array.from({ length: 50 }, async(_each, index): Promise<string> =>
        subscribe(`https://pod.example/x${index}/#me`, `${batch}-${index}`, `https://pod.example/x${index}/y${batch}`)));
    }
    const ids = await make();
    await expect(cost()).resolves.toBe(alone);
    expect(alone).toBeLessThan(60);
    const left = await Promise.all(ids.map(async(id): Promise<string | undefined> => (await storage.get(id))?.id));
    expect(left).toEqual([ undefined, undefined, undefined, undefined ]);
    await expect(storage.getAll({ path: 'https://pod.example/bob/diary' })).resolves.toEqual([ kept ]);
    await expect(storage.getAll({ path: 'https://pod.example/anna/inbox/' })).resolves.toEqual([]);
    await expect(cost()).resolves.toBe(0);
  });

  it('that are not stored end with the others of a holder, in each process.', async(): Promise<void> => {
    const ended: string[] = [];
    storage.onRemoval((holder): unknown => ended.push(holder));
    await storage.removeOf(anna);
    expect(ended).toEqual([ anna ]);
    expect(published).toHaveLength(1);
    hear(published[0]);
    expect(ended).toEqual([ anna, anna ]);
  });

  it('are not added by a request that began before those of its WebID ended.', async(): Promise<void> => {
    const topic = 'https://pod.example/bob/diary';
    const [ early, other, slow, late ] = [ anna, bob, anna, anna ].map((webId): Subscriber =>
      subscriberOf({ agent: { webId }}));
    async function add(subscriber: Subscriber, id: string): Promise<void> {
      const channel = { id, topic, type: 'WebSocketChannel2023' } as unknown as NotificationChannel;
      await currentSubscriber.run(subscriber, async(): Promise<void> => storage.add(channel));
    }
    const before = await copy();
    const arrivedAt = performance.now();
    const done = [ early, other ].map((subscriber): () => void => storage.begin(subscriber, arrivedAt));
    await storage.removeOf(anna);
    // Its log-in was checked before, but that took longer.
    done.push(storage.begin(slow, arrivedAt), storage.begin(late, performance.now()));
    await expect(add(early, 'urn:early')).rejects.toMatchObject({ statusCode: 401 });
    await expect(add(slow, 'urn:slow')).rejects.toMatchObject({ statusCode: 401 });
    await expect(storage.getAll({ path: topic })).resolves.toEqual([]);
    await expect(copy()).resolves.toEqual(before);
    await add(other, 'urn:other');
    await add(late, 'urn:late');
    await expect(storage.getAll({ path: topic })).resolves.toEqual([ 'urn:other', 'urn:late' ]);
    for (const end of done) {
      end();
    }
  });

  it('can be added again as soon as the storage, which was away, is back.', async(): Promise<void> => {
    const away = new Error('No connection');
    channels.entries = (): never => {
      throw away;
    };
    await expect(subscribe(anna, 'a1', 'https://pod.example/bob/diary')).rejects.toBe(away);
    Reflect.deleteProperty(channels, 'entries');
    const id = await subscribe(anna, 'a1', 'https://pod.example/bob/diary');
    await expect(storage.get(id)).resolves.toMatchObject({ id });
  });

  it('expire, and so do the notes of them.', async(): Promise<void> => {
    const before = await copy();
    const id = await subscribe(anna, 'a1', 'https://pod.example/bob/diary', Date.now() - 1);
    await expect(storage.delete(id)).resolves.toBe(false);
    await subscribe(anna, 'a2', 'https://pod.example/bob/diary', Date.now() - 1);
    await storage.sweep(Date.now() + 3_600_000);
    await expect(copy()).resolves.toEqual(before);
  });

  it('of an earlier version, in clear, are removed at the first start.', async(): Promise<void> => {
    const id = await subscribe(anna, 'a1', 'https://pod.example/bob/diary');
    const topic = 'https://pod.example/bob/';
    await store.values.set('notifications/clear', { id: 'x', topic, subscriber: { webId: bob }});
    await storage.takeOver();
    expect((await copy()).join('\n')).not.toContain(topic);
    await expect(storage.get(id)).resolves.toMatchObject({ id });
  });
});
