import { randomBytes } from 'node:crypto';
import { EventFeed } from '../../../src/events/EventFeed';
import { EventsGone, ParameterInvalid } from '../../../src/problems';
import type { OpenRecords } from '../../../src/storage/openRecords';
import { parseWebId } from '../../../src/platform/webId';
import { later, now, sqlitePlace } from '../storage/places';
import type { Place } from '../storage/places';

const dataUser = parseWebId('https://user.example/#us');
const keptMs = 60_000;

describe('The feed of events', (): void => {
  let place: Place;
  let open: OpenRecords;
  let feed: EventFeed;
  let clock: Date;
  const keys = [ randomBytes(32) ];

  beforeEach(async(): Promise<void> => {
    place = await sqlitePlace();
    clock = now;
    open = await place.open({ clock: (): Date => clock });
    feed = new EventFeed({
      events: open.records.events,
      baseUrl: 'https://pod.example/',
      cursorKeys: (): Buffer[] => keys,
      keptMs,
      now: (): Date => clock,
    });
  });

  afterEach(async(): Promise<void> => place.remove());

  async function raise(count: number, at = clock): Promise<void> {
    await open.records.events.raise(Array.from({ length: count }, (): object =>
      ({ dataUser, type: 'AccessGranted', at, data: {}})) as never[]);
  }

  async function numbers(after?: string): Promise<number[]> {
    return (await feed.list(dataUser, after, 10)).events.map(({ number }): number => number);
  }

  it('continues after each page, and is kept for the configured time.', async(): Promise<void> => {
    await raise(3);
    const { next } = await feed.list(dataUser, undefined, 2);
    clock = later(59);
    await feed.forget();
    await raise(1);
    await expect(numbers(next)).resolves.toEqual([ 3, 4 ]);
  });

  it('says where to begin when the events after a cursor are no longer kept.', async(): Promise<void> => {
    const { next: start } = await feed.list(dataUser, undefined, 1);
    await raise(1005);
    const { next } = await feed.list(dataUser, undefined, 1);
    clock = later(61);
    await raise(2);
    await feed.forget();
    for (const cursor of [ start, next ]) {
      const error = await feed.list(dataUser, cursor, 10).catch((thrown: unknown): unknown => thrown);
      expect(error).toBeInstanceOf(EventsGone);
      const begin = new URL((error as EventsGone).members.begin as string);
      expect(begin.href.split('?')[0]).toBe('https://pod.example/v1/events');
      await expect(numbers(begin.searchParams.get('after')!)).resolves.toEqual([ 1006, 1007 ]);
    }
    await expect(numbers()).resolves.toEqual([ 1006, 1007 ]);
  });

  it('keeps events whose cause is older than events are kept, and those before them.', async(): Promise<void> => {
    await raise(1);
    await raise(1, later(-3600));
    await raise(1, later(-3600));
    await feed.forget();
    await expect(numbers()).resolves.toEqual([ 1, 2, 3 ]);
    clock = later(61);
    await feed.forget();
    await expect(numbers()).resolves.toEqual([]);
  });

  it('has no gap for a reader who has read all forgotten events.', async(): Promise<void> => {
    await raise(3);
    const { next } = await feed.list(dataUser, undefined, 10);
    clock = later(61);
    await feed.forget();
    await expect(feed.list(dataUser, next, 10)).resolves.toEqual({ events: [], next, hasMore: false });
    await raise(1);
    await expect(numbers(next)).resolves.toEqual([ 4 ]);
  });

  it('must be restarted when the records were restored to an earlier moment.', async(): Promise<void> => {
    await raise(1);
    await expect(feed.list(dataUser, feed.writeCursor(dataUser, 2), 10)).rejects.toBeInstanceOf(EventsGone);
  });

  it('accepts cursors made with an earlier key, while that is known.', async(): Promise<void> => {
    await raise(2);
    const cursor = feed.writeCursor(dataUser, 1);
    const [ before ] = keys;
    keys.unshift(randomBytes(32));
    await expect(numbers(cursor)).resolves.toEqual([ 2 ]);
    keys.splice(keys.indexOf(before), 1);
    await expect(numbers(cursor)).rejects.toBeInstanceOf(ParameterInvalid);
  });
});
