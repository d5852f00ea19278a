import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { createServer } from 'node:net';
import type { AddressInfo, Server, Socket } from 'node:net';
import { EventFeed } from '../../../src/events/EventFeed';
import { EventPusher, pushBounds } from '../../../src/events/EventPusher';
import { SubscriptionService } from '../../../src/events/SubscriptionService';
import { Webhooks } from '../../../src/events/Webhooks';
import { Duty } from '../../../src/platform/Duty';
import { createGuardedFetch } from '../../../src/platform/guardedFetch';
import type { Fetched, FetchRequest } from '../../../src/platform/guardedFetch';
import { EndpointNotProven } from '../../../src/problems';
import { EventKeys } from '../../../src/storage/keys/EventKeys';
import type { OpenRecords } from '../../../src/storage/openRecords';
import type { WebId } from '../../../src/platform/webId';
import { parseWebId } from '../../../src/platform/webId';
import { now, sqlitePlace } from '../storage/places';
import type { Place } from '../storage/places';

const maxBodyBytes = 64 * 1024;
const dataUser = parseWebId('https://user.example/#us');
const fast = parseWebId('https://fast.example/#us');

/** Writes until the other side closes. */
function pour(socket: Socket, chunk: string): void {
  while (socket.writable && socket.write(chunk)) {
    ;
  }
  socket.once('drain', (): void => pour(socket, chunk));
}

/** Ways in which an endpoint fails to respond, and the reason recorded. */
const hostile: [string, (socket: Socket) => void, string][] = [
  [ 'never', (): unknown => undefined, 'no complete answer in time' ],
  [ 'byte by byte', (socket): void => {
    socket.write('HTTP/1.1 200 OK\r\nContent-Length: 1000\r\n\r\n');
    const drip = setInterval((): unknown => socket.write('a'), 5);
    socket.on('close', (): void => clearInterval(drip));
  }, 'no complete answer in time' ],
  [ 'with 10 MB', (socket): void => {
    socket.write(`HTTP/1.1 200 OK\r\nContent-Length: ${10 * 1024 * 1024}\r\n\r\n`);
    pour(socket, 'a'.repeat(1024));
  }, 'the answer is too large' ],
  [ 'without an end', (socket): void => {
    socket.write('HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n');
    pour(socket, `400\r\n${'a'.repeat(1024)}\r\n`);
  }, 'the answer is too large' ],
  [ 'with endless headers', (socket): void => {
    socket.write('HTTP/1.1 200 OK\r\n');
    pour(socket, `X-More: ${'a'.repeat(1000)}\r\n`);
  }, 'the server cannot be reached' ],
  [ 'again and again that it goes on', (socket): void => {
    const going = setInterval((): unknown => socket.write('HTTP/1.1 103 Early Hints\r\n\r\n'), 5);
    socket.on('close', (): void => clearInterval(going));
  }, 'no complete answer in time' ],
  [ 'compressed', (socket): void => {
    socket.write('HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\nContent-Length: 1\r\n\r\na');
  }, 'the answer is compressed' ],
  [ 'with garbage', (socket): unknown => socket.write('SSH-2.0-OpenSSH_9.6\r\n'), 'the server cannot be reached' ],
  [ 'by hanging up', (socket): unknown => socket.destroy(), 'the server cannot be reached' ],
];

async function reached(done: () => boolean): Promise<void> {
  while (!done()) {
    await new Promise(setImmediate);
  }
}

describe('An endpoint that responds', (): void => {
  let place: Place;
  let open: OpenRecords;
  let server: Server;
  let endpoint: string;
  let answer: (socket: Socket) => void;
  /** True when the time-out ends it. */
  let isLate: boolean;
  /** Connections to the hostile endpoint. */
  let sockets: Socket[];
  let service: SubscriptionService;
  let pusher: EventPusher;
  let delivered: number;
  let clock = now;

  beforeAll(async(): Promise<void> => {
    place = await sqlitePlace();
    open = await place.open();
    server = createServer((socket): void => {
      socket.on('error', (): void => {
        // The other side gave up.
      });
      socket.once('data', (chunk): void => {
        if (chunk.toString().startsWith('POST /fast')) {
          delivered += 1;
          socket.end('HTTP/1.1 200 OK\r\nConnection: close\r\nContent-Length: 0\r\n\r\n');
        } else {
          sockets.push(socket);
          answer(socket);
        }
      });
    }).listen(0, '127.0.0.1');
    await once(server, 'listening');
    endpoint = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    const { duties, events, subscriptions } = open.records;
    const feed = new EventFeed({
      events,
      baseUrl: 'https://pod.example/',
      cursorKeys: (): [] => [],
      keptMs: 1000,
      now: (): Date => now,
    });
    const patient = createGuardedFetch({ allowLoopback: true, timeoutMs: 60_000, maxBodyBytes, ...pushBounds });
    const hasty = createGuardedFetch({ allowLoopback: true, timeoutMs: 500, maxBodyBytes });
    async function fetch(url: string, request: FetchRequest): Promise<Fetched> {
      return isLate && !url.endsWith('/fast') ? hasty(url, request) : patient(url, request);
    }
    const keys = new EventKeys(open.serverSecrets);
    const webhooks = new Webhooks({ fetch, keys, source: feed.url, now: (): Date => clock });
    const { records } = open;
    service = new SubscriptionService({ records, feed, webhooks, keys, newId: randomUUID, now: (): Date => clock });
    pusher = new EventPusher({
      webhooks,
      now: (): Date => clock,
      events,
      subscriptions,
      duty: new Duty({ name: 'event-pushes', holder: randomUUID(), duties, now: (): Date => clock }),
      logger: console,
    });
  });

  beforeEach((): void => {
    sockets = [];
    delivered = 0;
  });

  afterEach(async(): Promise<void> => {
    for (const { id } of await open.records.subscriptions.list()) {
      await open.records.subscriptions.remove(id);
    }
  });

  afterAll(async(): Promise<void> => {
    server.close();
    await place.remove();
  });

  async function subscribe(user: WebId, path: string, state: object = {}): Promise<void> {
    const { last } = await open.records.events.list(user, 0, 1);
    await open.records.subscriptions.insert({
      id: randomUUID(),
      dataUser: user,
      endpoint: endpoint + path,
      createdAt: now,
      status: 'ACTIVE',
      position: last,
      attempts: 0,
      revision: 0,
      ...state,
    });
  }

  async function raise(...users: string[]): Promise<void> {
    await open.records.events.raise(users.map((user): never =>
      ({ dataUser: user, type: 'AccessGranted', at: now, data: {}}) as never));
  }

  /** Waits until this side has closed all connections. */
  async function ended(): Promise<void> {
    await Promise.all(sockets.map(async(socket): Promise<void> => new Promise((resolve): void => {
      if (socket.closed) {
        resolve();
      } else {
        socket.once('close', (): void => resolve());
      }
    })));
  }

  /** A busy machine may reach the time-out before the endpoint. */
  function expectOneAttempt(): void {
    expect(isLate ? [ 0, 1 ] : [ 1 ]).toContain(sockets.length);
  }

  describe.each(hostile)('%s', (_name, hostility, failure): void => {
    beforeEach((): void => {
      answer = hostility;
      isLate = failure === 'no complete answer in time';
    });

    it('does not pass the challenge.', async(): Promise<void> => {
      const made = service.create(dataUser, { endpoint: `${endpoint}/x` }, { correlationId: 'one' });
      await expect(made).rejects.toBeInstanceOf(EndpointNotProven);
      await expect(made).rejects.toThrow(`The endpoint cannot be used: ${failure}.`);
      await ended();
      expectOneAttempt();
      await expect(service.list(dataUser)).resolves.toEqual([]);
    });

    it('is retried later, and delays nobody else.', async(): Promise<void> => {
      await subscribe(dataUser, '/x');
      await subscribe(fast, '/fast');
      await raise(dataUser, fast, fast, fast);
      await pusher.run();
      await pusher.settle();
      expect(delivered).toBe(3);
      const [ slow ] = await service.list(dataUser);
      expect(slow).toMatchObject({ status: 'ACTIVE', attempts: 1, lastFailure: failure });
      expect(slow.dueAt!.getTime()).toBeGreaterThan(now.getTime());
      await ended();
      expectOneAttempt();
    });
  });

  it.each([
    [ '128 of them never answer', 128, {}],
    [ '300 of them have failed before, and never answer', 300, { attempts: 1, dueAt: now }],
  ])('is not delayed by others, though %s.', async(_name, count, state): Promise<void> => {
    answer = (): unknown => undefined;
    isLate = false;
    await subscribe(fast, '/fast');
    for (let index = 0; index < count; index += 1) {
      await subscribe(dataUser, `/${index}`, state);
    }
    await raise(dataUser);
    await pusher.run();
    await reached((): boolean => sockets.length === 128);
    clock = new Date(now.getTime() + 1000);
    await raise(fast);
    await pusher.run();
    await reached((): boolean => delivered === 1);
    expect(sockets).toHaveLength(128);
    await hangUp();
  });

  it('is not delayed by others, though 300 of them are quick one time and never answer the next.', async():
  Promise<void> => {
    isLate = false;
    await subscribe(fast, '/fast');
    for (let index = 0; index < 300; index += 1) {
      await subscribe(dataUser, `/${index}`);
    }
    for (const [ count, takesMs ] of [[ 300, 1000 ], [ 600, 0 ]]) {
      answer = (socket): void => {
        clock = new Date(clock.getTime() + takesMs);
        socket.end('HTTP/1.1 200 OK\r\nConnection: close\r\nContent-Length: 0\r\n\r\n');
      };
      await raise(dataUser);
      while (sockets.length < count) {
        await pusher.run();
        await pusher.settle();
      }
    }
    answer = (): unknown => undefined;
    await raise(dataUser);
    await pusher.run();
    await reached((): boolean => sockets.length === 728);
    clock = new Date(clock.getTime() + 1000);
    await raise(fast);
    await pusher.run();
    await reached((): boolean => delivered === 1 || sockets.length > 728);
    expect({ delivered, begun: sockets.length }).toEqual({ delivered: 1, begun: 728 });
    await hangUp();
  });

  async function hangUp(): Promise<void> {
    for (const socket of sockets) {
      socket.destroy();
    }
    await pusher.settle();
  }
});
