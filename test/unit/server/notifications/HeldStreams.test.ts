import { PassThrough } from 'node:stream';
import type { Writable } from 'node:stream';
import { WrappedSetMultiMap } from '@solid/community-server';
import { HeldStreams } from '../../../../src/server/notifications/HeldStreams';

const topic = 'http://localhost:3000/alice/shared/';
const bob = 'http://localhost:3000/bob/profile/card#me';

describe('HeldStreams', (): void => {
  const streamMap = new WrappedSetMultiMap<string, Writable>();
  let endOf: (holder: string) => void;
  const streams = new HeldStreams({
    // The server declares the iterators of an older Node.js.
    streamMap: streamMap as never,
    right: { mayRead: async({ webId }: { webId?: string }): Promise<boolean> => webId === bob } as never,
    subscriptions: { onRemoval: (listener: typeof endOf): unknown => {
      endOf = listener;
      return endOf;
    } } as never,
    maxSubscriptionsPerResource: 10,
    maxSubscriptionsPerCaller: 10,
    maxSocketsPerAddress: 10,
    maxSubscriptions: 10,
    subscriptionHours: 1,
  });

  function open(): Writable {
    const stream = new PassThrough();
    streamMap.add(topic, stream);
    return stream;
  }

  it('open none for a WebID whose log-in ended while its request was under way.', (): void => {
    for (const holder of [ bob, 'http://localhost:3000/alice/' ]) {
      const subscriber = { webId: bob };
      const release = streams.admit(topic, subscriber, performance.now());
      endOf(holder);
      const stream = open();
      streams.hold(stream, subscriber);
      expect(stream.writableEnded).toBe(true);
      expect(streamMap.has(topic)).toBe(false);
      release();
    }
  });

  it('open none for a WebID whose log-in ended before it was known who requests one.', (): void => {
    const subscriber = { webId: bob };
    const arrivedAt = performance.now();
    endOf(bob);
    const release = streams.admit(topic, subscriber, arrivedAt);
    const stream = open();
    streams.hold(stream, subscriber);
    expect(stream.writableEnded).toBe(true);
    release();
  });

  it('keep those of others, and later ones.', (): void => {
    const subscriber = { webId: bob };
    endOf(bob);
    const release = streams.admit(topic, subscriber, performance.now());
    endOf('http://localhost:3000/carol/profile/card#me');
    const stream = open();
    streams.hold(stream, subscriber);
    expect(stream.writableEnded).toBe(false);
    release();
    streamMap.delete(topic);
    stream.destroy();
  });

  it('keep one that is just opening when the resource changes.', async(): Promise<void> => {
    const subscriber = { webId: bob };
    const release = streams.admit(topic, subscriber, performance.now());
    const stream = open();
    await streams.review(topic);
    expect(stream.writableEnded).toBe(false);
    streams.hold(stream, subscriber);
    release();
    const others = open();
    streams.hold(others, { webId: 'http://localhost:3000/carol/profile/card#me' });
    await streams.review(topic);
    expect([ stream, others ].map(({ writableEnded }): boolean => writableEnded)).toEqual([ false, true ]);
    stream.destroy();
  });
});
