import { createPublicKey, randomUUID, verify } from 'node:crypto';
import type { KeyObject } from 'node:crypto';
import { createServer } from 'node:http';
import type { IncomingHttpHeaders, Server } from 'node:http';
import { once } from 'node:events';
import type { AddressInfo, Socket } from 'node:net';
import { HTTP } from 'cloudevents';
import { Webhook } from 'standardwebhooks';
import { EventFeed } from '../../../src/events/EventFeed';
import { EventPusher } from '../../../src/events/EventPusher';
import type { FeedPage } from '../../../src/events/EventStore';
import type { NewSubscription, SubscriptionRequest } from '../../../src/events/SubscriptionService';
import { Webhooks } from '../../../src/events/Webhooks';
import { SubscriptionService } from '../../../src/events/SubscriptionService';
import { pauseSubscription, replaySubscription } from '../../../src/operations/steerSubscription';
import { Duty } from '../../../src/platform/Duty';
import { createGuardedFetch } from '../../../src/platform/guardedFetch';
import { EndpointNotProven, EndpointTaken, SubscriptionNotFound, TooManySubscriptions } from '../../../src/problems';
import { EventKeys } from '../../../src/storage/keys/EventKeys';
import type { OpenRecords } from '../../../src/storage/openRecords';
import { parseWebId } from '../../../src/platform/webId';
import { places } from '../storage/places';
import type { Place } from '../storage/places';

const dataUser = parseWebId('https://user.example/#us');
const context = { correlationId: 'one' };
const logger = { error: fail, warn: fail, info: fail, debug: fail };

function fail(message: string): never {
  throw new Error(message);
}

interface Received {
  socket: Socket;
  path: string;
  headers: IncomingHttpHeaders;
  text: string;
  event: { id: string; type: string; data: { accessGrant?: string; challenge?: string }};
}

describe.each(places)('Subscriptions, on %s,', (_engine, makePlace): void => {
  let place: Place;
  let open: OpenRecords;
  let server: Server;
  let base: string;
  /** Services of each node. */
  let services: SubscriptionService[];
  let service: SubscriptionService;
  let pushers: EventPusher[];
  let clock: Date;
  let feed: EventFeed;
  let signingKeys: () => Promise<KeyObject[]>;
  let received: Received[];
  /** Runs before the next push is answered. */
  let meanwhile: (() => Promise<void>) | undefined;
  /** Makes the records fail at the next search for another event. */
  let isAway: boolean;
  /** Errors in the log; when undefined, there must be none. */
  let logged: string[] | undefined;
  /** Statuses that a path returns, in turn; then 200. */
  let answers: Record<string, (number | 'never')[]>;

  beforeEach(async(): Promise<void> => {
    function now(): Date {
      return clock;
    }
    place = await makePlace();
    clock = new Date();
    open = await place.open({ clock: now });
    received = [];
    answers = {};
    meanwhile = undefined;
    isAway = false;
    logged = undefined;
    await startReceiver();
    const nodes = [ open, await place.open({ clock: now }) ];
    const keys = new EventKeys(open.serverSecrets);
    signingKeys = async(): Promise<KeyObject[]> => keys.signing();
    feed = new EventFeed({
      events: open.records.events,
      baseUrl: 'https://pod.example/',
      cursorKeys: (): Buffer[] => [ Buffer.alloc(32) ],
      keptMs: 1000,
      now,
    });
    const fetch = createGuardedFetch({ allowLoopback: true, timeoutMs: 60_000, perHost: 50 });
    const webhooks = new Webhooks({ fetch, keys, source: feed.url, now });
    services = nodes.map(({ records }): SubscriptionService =>
      new SubscriptionService({ records, feed, webhooks, keys, newId: randomUUID, now }));
    [ service ] = services;
    pushers = nodes.map(({ records: { duties, events, subscriptions }}): EventPusher => new EventPusher({
      webhooks,
      now,
      events: {
        async list(user, after, limit): Promise<FeedPage> {
          if (limit === 1 && isAway) {
            isAway = false;
            throw new Error('the database is away');
          }
          return events.list(user, after, limit);
        },
      },
      subscriptions,
      duty: new Duty({ name: 'event-pushes', holder: randomUUID(), duties, now, ms: 20_000 }),
      logger: { ...logger, error: (message: string): unknown => logged?.push(message) ?? fail(message) },
    }));
  });

  afterEach(async(): Promise<void> => {
    server.closeAllConnections();
    server.close();
    await place.remove();
  });

  async function startReceiver(): Promise<void> {
    server = createServer({ keepAliveTimeout: 600_000 }, (request, response): void => {
      const chunks: Buffer[] = [];
      request.on('data', (chunk: Buffer): number => chunks.push(chunk));
      request.on('end', (): void => {
        const text = Buffer.concat(chunks).toString();
        const event = JSON.parse(text) as Received['event'];
        const path = request.url!;
        const isChallenge = event.type === 'SubscriptionChallenge';
        const answer = isChallenge ? 200 : answers[path]?.shift() ?? 200;
        received.push({ socket: request.socket, path, headers: request.headers, text, event });
        const happening = isChallenge ? undefined : meanwhile;
        meanwhile = isChallenge ? meanwhile : undefined;
        (happening?.() ?? Promise.resolve()).then((): void => {
          if (answer !== 'never') {
            const { challenge } = event.data;
            response.writeHead(answer, answer === 302 ? { location: `${base}/elsewhere` } : {});
            response.end(isChallenge && !path.startsWith('/deaf') ? JSON.stringify({ challenge }) : 'ok');
          }
        }).catch(fail);
      });
    }).listen(0, '127.0.0.1');
    await once(server, 'listening');
    base = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  }

  async function create(request: SubscriptionRequest): Promise<NewSubscription> {
    return service.create(dataUser, request, context);
  }

  async function raise(...names: string[]): Promise<void> {
    await open.records.events.raise(names.map((name): never =>
      ({ dataUser, type: 'AccessGranted', at: clock, data: { accessGrant: name }}) as never));
  }

  /** Runs all nodes until nothing is due. */
  async function runAll(): Promise<void> {
    for (let turn = 0; turn < 6; turn += 1) {
      for (const pusher of pushers) {
        await pusher.run();
      }
      await Promise.all(pushers.map(async(pusher): Promise<void> => pusher.settle()));
    }
  }

  function pushedTo(path: string): (string | undefined)[] {
    return received.filter((one): boolean => one.path === path && one.event.type !== 'SubscriptionChallenge')
      .map(({ event }): string | undefined => event.data.accessGrant);
  }

  /** Attempts in a row that failed, by path. */
  async function attempts(): Promise<Record<string, number>> {
    const all = await service.list(dataUser);
    return Object.fromEntries(all.map((one): [string, number] => [ new URL(one.endpoint).pathname, one.attempts ]));
  }

  function later(seconds: number): void {
    clock = new Date(clock.getTime() + (seconds * 1000));
  }

  it('push events from then on, in order, once, whichever node does it.', async(): Promise<void> => {
    await raise('before');
    await create({ endpoint: `${base}/a` });
    await raise(...Array.from({ length: 30 }, (_, index): string => `${index}`));
    await runAll();
    expect(pushedTo('/a')).toEqual(Array.from({ length: 30 }, (_, index): string => `${index}`));
    // The challenge has its own connection, and so has each turn.
    expect(new Set(received.map(({ socket }): unknown => socket)).size).toBe(3);
    await raise('more');
    await runAll();
    expect(pushedTo('/a').at(-1)).toBe('more');
    expect(pushedTo('/a')).toHaveLength(31);
  });

  it('send messages that stock libraries can verify with the published key.', async(): Promise<void> => {
    const { secret } = await create({ endpoint: `${base}/a` });
    await raise('one');
    await runAll();
    expect(received).toHaveLength(2);
    for (const { headers, text } of received) {
      const given = headers as Record<string, string>;
      expect(new Webhook(secret).verify(text, given)).toEqual(JSON.parse(text));
      const altered = text.replace('specversion', 'otherversion');
      expect((): unknown => new Webhook(secret).verify(altered, given)).toThrow('No matching signature');
      const event = HTTP.toEvent({ headers: given, body: text }) as { source: string };
      expect(event.source).toBe('https://pod.example/v1/events');
      const [ , signature ] = /v1a,(\S+)/u.exec(given['webhook-signature'])!;
      const signed = Buffer.from(`${given['webhook-id']}.${given['webhook-timestamp']}.${text}`);
      const [ key ] = await signingKeys();
      expect(verify(null, signed, createPublicKey(key), Buffer.from(signature, 'base64'))).toBe(true);
    }
  });

  it('stay paused until the operator resumes them.', async(): Promise<void> => {
    const { subscription: { id }} = await create({ endpoint: `${base}/a` });
    await pauseSubscription(open.records, id, { operator: 'ops', now: clock });
    await raise('one');
    await runAll();
    await service.replay(id, dataUser, feed.writeCursor(dataUser, 0));
    await runAll();
    expect(pushedTo('/a')).toEqual([]);
    await replaySubscription(open.records, id, undefined, { operator: 'ops', now: clock });
    await runAll();
    expect(pushedTo('/a')).toEqual([ 'one' ]);
  });

  it('sign with the old and the new key during a rotation.', async(): Promise<void> => {
    const { secret } = await create({ endpoint: `${base}/a` });
    const [ before ] = await signingKeys();
    await open.secretRotation.rotateEvents('ops');
    await open.serverSecrets.refresh();
    const keys = await signingKeys();
    expect(keys).toHaveLength(2);
    expect(keys[0].equals(before)).toBe(true);
    await raise('one');
    await runAll();
    const { headers, text } = received.at(-1)!;
    const given = headers as Record<string, string>;
    expect(new Webhook(secret).verify(text, given)).toEqual(JSON.parse(text));
    const signed = Buffer.from(`${given['webhook-id']}.${given['webhook-timestamp']}.${text}`);
    const signatures = given['webhook-signature'].split(' ').filter((one): boolean => one.startsWith('v1a,'));
    expect(signatures.map((one, index): boolean =>
      verify(null, signed, createPublicKey(keys[index]), Buffer.from(one.slice(4), 'base64')))).toEqual([ true, true ]);
    const [ , { event }] = await open.records.audit.list(0, 10);
    expect(event).toMatchObject({ facts: { file: 'events' }, personal: { operator: 'ops' }});
  });

  it('push the requested types only.', async(): Promise<void> => {
    await create({ endpoint: `${base}/a`, events: [ 'AccessRevoked' ]});
    await raise('granted');
    await open.records.events.raise([{ dataUser, type: 'AccessRevoked', at: clock, data: { accessGrant: 'revoked' }}]);
    await runAll();
    expect(pushedTo('/a')).toEqual([ 'revoked' ]);
  });

  it('retry with growing pauses, and keep the order.', async(): Promise<void> => {
    await create({ endpoint: `${base}/a` });
    answers['/a'] = [ 500, 302, 503 ];
    await raise('one', 'two');
    await runAll();
    expect(pushedTo('/a')).toEqual([ 'one' ]);
    for (const seconds of [ 1, 2, 4 ]) {
      later(seconds - 0.5);
      await runAll();
      const before = pushedTo('/a').length;
      later(0.5);
      await runAll();
      expect(pushedTo('/a').length).toBeGreaterThan(before);
    }
    expect(pushedTo('/a')).toEqual([ 'one', 'one', 'one', 'one', 'two' ]);
    expect(new Set(received.filter(({ event }): boolean => event.data.accessGrant === 'one')
      .map(({ event, headers }): string => `${event.id} ${headers['webhook-id'] as string}`)).size).toBe(1);
    expect(pushedTo('/elsewhere')).toEqual([]);
  });

  it('are failing after a day, say why, and resume on request.', async(): Promise<void> => {
    const { subscription: { id }} = await create({ endpoint: `${base}/a` });
    answers['/a'] = Array.from({ length: 100 }, (): number => 500);
    await raise('one', 'two');
    for (let hours = 0; hours < 40; hours += 1) {
      await runAll();
      later(3600);
    }
    const [ failing ] = await service.list(dataUser);
    expect(failing).toMatchObject({ status: 'FAILING', lastFailure: 'the endpoint answered 500' });
    answers = {};
    await runAll();
    received = [];
    await service.replay(id, dataUser, undefined);
    await runAll();
    expect(pushedTo('/a')).toEqual([ 'one', 'two' ]);
    await service.replay(id, dataUser, feed.writeCursor(dataUser, 1));
    await runAll();
    expect(pushedTo('/a')).toEqual([ 'one', 'two', 'two' ]);
    await feed.forget();
    await expect(service.replay(id, dataUser, feed.writeCursor(dataUser, 0))).rejects.toMatchObject({
      name: 'EventsGone',
      members: { begin: `${feed.url}?after=${feed.writeCursor(dataUser, 2)}` },
    });
  });

  it('stay paused, even if the data user replays them at the same moment.', async(): Promise<void> => {
    const { subscription: { id }} = await create({ endpoint: `${base}/a` });
    const operator = { operator: 'ops', now: clock };
    const cursor = feed.writeCursor(dataUser, 0);
    jest.spyOn(feed, 'locate').mockImplementationOnce(async(): Promise<number> => {
      await pauseSubscription(open.records, id, operator);
      return 0;
    });
    await expect(service.replay(id, dataUser, cursor)).resolves.toMatchObject({ status: 'PAUSED' });
    for (let round = 0; round < 10; round += 1) {
      await replaySubscription(open.records, id, undefined, operator);
      await Promise.all([
        ...services.map(async(one): Promise<unknown> => one.replay(id, dataUser, cursor)),
        pauseSubscription(open.records, id, operator),
      ]);
      await expect(service.list(dataUser)).resolves.toMatchObject([{ status: 'PAUSED', dueAt: undefined }]);
    }
  });

  it('do not silently skip events that are no longer kept.', async(): Promise<void> => {
    const { subscription: { id }} = await create({ endpoint: `${base}/a` });
    await pauseSubscription(open.records, id, { operator: 'ops', now: clock });
    await raise('one', 'two');
    later(2);
    await feed.forget();
    await raise('three');
    await expect(service.replay(id, dataUser, undefined)).rejects.toMatchObject({
      name: 'EventsGone',
      members: { begin: `${feed.url}?after=${feed.writeCursor(dataUser, 2)}` },
    });
    await expect(replaySubscription(open.records, id, undefined, { operator: 'ops', now: clock }))
      .rejects.toThrow('Events after 2 up to 3 are kept');
    await expect(service.list(dataUser)).resolves.toMatchObject([{ status: 'PAUSED', position: 0 }]);
    await replaySubscription(open.records, id, 2, { operator: 'ops', now: clock });
    await runAll();
    expect(pushedTo('/a')).toEqual([ 'three' ]);
  });

  it('are failing when an event that could not be pushed is no longer kept.', async(): Promise<void> => {
    await create({ endpoint: `${base}/a` });
    answers['/a'] = [ 500 ];
    await raise('one');
    await runAll();
    later(2);
    await feed.forget();
    await raise('two');
    await runAll();
    expect(pushedTo('/a')).toEqual([ 'one' ]);
    const [ subscription ] = await service.list(dataUser);
    expect(subscription).toMatchObject({
      status: 'FAILING',
      lastFailure: 'events that were not pushed are no longer kept',
    });
    await expect(service.replay(subscription.id, dataUser, undefined)).rejects.toMatchObject({ name: 'EventsGone' });
    await service.replay(subscription.id, dataUser, feed.writeCursor(dataUser, 1));
    await runAll();
    expect(pushedTo('/a')).toEqual([ 'one', 'two' ]);
  });

  it('are failing after a real day, even if the clock was ahead at the first failure.', async():
  Promise<void> => {
    await create({ endpoint: `${base}/a` });
    answers['/a'] = Array.from({ length: 100 }, (): number => 500);
    later(30 * 86_400);
    await raise('one');
    await runAll();
    later(-30 * 86_400);
    for (let hours = 0; hours < 23; hours += 1) {
      await runAll();
      await expect(service.list(dataUser)).resolves.toMatchObject([{ status: 'ACTIVE' }]);
      later(3600);
    }
    for (let hours = 0; hours < 3; hours += 1) {
      await runAll();
      later(3600);
    }
    await expect(service.list(dataUser)).resolves.toMatchObject([{ status: 'FAILING' }]);
  });

  it('end when the endpoint says that it is gone.', async(): Promise<void> => {
    await create({ endpoint: `${base}/a` });
    answers['/a'] = [ 410 ];
    await raise('one', 'two');
    await runAll();
    later(100_000);
    await runAll();
    expect(pushedTo('/a')).toEqual([ 'one' ]);
    await expect(service.list(dataUser)).resolves.toMatchObject([{ status: 'ENDED' }]);
  });

  it('do not wait for each other.', async(): Promise<void> => {
    for (const name of [ 'slow', 'fast' ]) {
      await create({ endpoint: `${base}/${name}` });
    }
    answers['/slow'] = [ 'never' ];
    await raise('one');
    await pushers[0].run();
    while (pushedTo('/fast').length === 0) {
      await new Promise(setImmediate);
    }
    await raise('two');
    while (pushedTo('/fast').length < 2) {
      await pushers[0].run();
      await new Promise(setImmediate);
    }
    while (pushedTo('/slow').length === 0) {
      await new Promise(setImmediate);
    }
    expect(pushedTo('/slow')).toEqual([ 'one' ]);
    await expect(attempts()).resolves.toEqual({ '/slow': 0, '/fast': 0 });
    // It hangs up.
    received.findLast(({ path }): boolean => path === '/slow')!.socket.destroy();
    await pushers[0].settle();
    await expect(attempts()).resolves.toEqual({ '/slow': 1, '/fast': 0 });
  });

  it('take turns: a slow endpoint gets few events in each.', async(): Promise<void> => {
    await create({ endpoint: `${base}/a` });
    await raise('one', 'two', 'three', 'four');
    for (const pushed of [ 2, 4 ]) {
      meanwhile = async(): Promise<void> => {
        later(0.6);
        meanwhile = async(): Promise<void> => later(0.6);
      };
      await pushers[0].run();
      await pushers[0].settle();
      expect(pushedTo('/a')).toHaveLength(pushed);
    }
    expect(pushedTo('/a')).toEqual([ 'one', 'two', 'three', 'four' ]);
  });

  it.each([ 'removed', 'paused', 'replayed' ])('that are %s during a push get no other event of this turn.', async(how):
  Promise<void> => {
    const { subscription: { id }} = await create({ endpoint: `${base}/a` });
    await raise('one', 'two', 'three');
    const changes: Record<string, () => Promise<unknown>> = {
      removed: async(): Promise<void> => services[1].remove(id, dataUser, context),
      paused: async(): Promise<void> => pauseSubscription(open.records, id, { operator: 'ops', now: clock }),
      replayed: async(): Promise<unknown> => services[1].replay(id, dataUser, feed.writeCursor(dataUser, 0)),
    };
    meanwhile = async(): Promise<void> => {
      await changes[how]();
    };
    await pushers[0].run();
    await pushers[0].settle();
    expect(pushedTo('/a')).toEqual([ 'one' ]);
    await runAll();
    expect(pushedTo('/a')).toEqual(how === 'replayed' ? [ 'one', 'one', 'two', 'three' ] : [ 'one' ]);
  });

  it('are taken over when the node that pushes is gone.', async(): Promise<void> => {
    await create({ endpoint: `${base}/a` });
    await pushers[0].run();
    await raise('one');
    await pushers[1].run();
    await pushers[1].settle();
    expect(pushedTo('/a')).toEqual([]);
    later(21);
    await pushers[1].run();
    await pushers[1].settle();
    expect(pushedTo('/a')).toEqual([ 'one' ]);
  });

  it('do not wait for 300 others without news when another node takes over.', async(): Promise<void> => {
    for (let index = 0; index < 300; index += 1) {
      await open.records.subscriptions.insert({
        id: randomUUID(),
        dataUser: parseWebId(`https://idle.example/${index}`),
        endpoint: `${base}/idle`,
        createdAt: clock,
        status: 'ACTIVE',
        position: 0,
        attempts: 0,
        revision: 0,
      });
    }
    await create({ endpoint: `${base}/a` });
    await runAll();
    later(21);
    await raise('one');
    await pushers[1].run();
    await pushers[1].settle();
    expect(pushedTo('/a')).toEqual([ 'one' ]);
    await expect(open.records.subscriptions.listDue(clock, false, 1)).resolves.toEqual([]);
  });

  it.each([ 200, 500 ])('are not set back by a node that was frozen during a push, which got %i.', async(answer):
  Promise<void> => {
    await create({ endpoint: `${base}/a` });
    answers['/a'] = [ answer ];
    await raise('one');
    meanwhile = async(): Promise<void> => {
      later(21);
      await raise('two', 'three');
      await pushers[1].run();
      await pushers[1].settle();
    };
    await pushers[0].run();
    await pushers[0].settle();
    later(2);
    await runAll();
    expect(pushedTo('/a')).toEqual([ 'one', 'one', 'two', 'three' ]);
    await expect(attempts()).resolves.toEqual({ '/a': 0 });
    await raise('four');
    await runAll();
    expect(pushedTo('/a').slice(4)).toEqual([ 'four' ]);
  });

  it('lose no event raised during a push, even if the records are unavailable afterwards.', async():
  Promise<void> => {
    logged = [];
    await create({ endpoint: `${base}/a` });
    await raise('one');
    meanwhile = async(): Promise<void> => {
      await raise('two');
      await pushers[0].run();
      isAway = true;
    };
    await runAll();
    expect(isAway).toBe(false);
    expect(logged).toEqual([ 'Events could not be pushed: the database is away' ]);
    expect(pushedTo('/a')).toEqual([ 'one', 'two' ]);
  });

  it.each([ 86_400, 1800 ])('are not delayed by a clock that is set back by %i seconds.', async(seconds):
  Promise<void> => {
    await create({ endpoint: `${base}/a` });
    await runAll();
    later(seconds);
    answers['/a'] = [ 500 ];
    await raise('one');
    await runAll();
    later(-seconds);
    await runAll();
    expect(pushedTo('/a')).toEqual([ 'one', 'one' ]);
  });

  it('are taken over from a node that is gone, whose clock was ahead.', async(): Promise<void> => {
    await create({ endpoint: `${base}/a` });
    later(86_400);
    answers['/a'] = [ 500 ];
    await raise('one');
    await pushers[0].run();
    await pushers[0].settle();
    later(-86_400);
    await pushers[1].run();
    await pushers[1].settle();
    expect(pushedTo('/a')).toEqual([ 'one', 'one' ]);
  });

  it('are pushed by one node when the clock of both was set back.', async(): Promise<void> => {
    await create({ endpoint: `${base}/a` });
    later(86_400);
    await pushers[0].run();
    await pushers[0].settle();
    later(-86_400);
    await pushers[1].run();
    await pushers[1].settle();
    await raise('one');
    meanwhile = async(): Promise<void> => pushers[1].run();
    await runAll();
    expect(pushedTo('/a')).toEqual([ 'one' ]);
  });

  it.each([
    [ 'does not answer the challenge', '/deaf' ],
    [ 'is not there', ':1/' ],
  ])('are not made when the endpoint %s.', async(_name, path): Promise<void> => {
    const endpoint = path.startsWith(':') ? `http://127.0.0.1${path}` : base + path;
    await expect(create({ endpoint })).rejects.toBeInstanceOf(EndpointNotProven);
    await expect(service.list(dataUser)).resolves.toEqual([]);
  });

  it.each([ 'http://10.0.0.1/', 'https://192.168.1.1/hook', 'https://[fd00::1]/', 'ftp://example.org/' ])(
    'are not created for %s.',
    async(endpoint): Promise<void> => {
      await expect(create({ endpoint })).rejects.toBeInstanceOf(EndpointNotProven);
    },
  );

  it('are limited for each data user, who alone can change them.', async(): Promise<void> => {
    const made = [];
    for (let index = 0; index < 10; index += 1) {
      made.push(await create({ endpoint: `${base}/${index}` }));
    }
    await expect(create({ endpoint: `${base}/x` })).rejects.toBeInstanceOf(TooManySubscriptions);
    const [{ subscription: { id }}] = made;
    await expect(service.get(id, dataUser)).resolves.toMatchObject({ endpoint: `${base}/0` });
    await expect(service.get(id, parseWebId('https://other.example/#us')))
      .rejects.toBeInstanceOf(SubscriptionNotFound);
    await expect(service.remove(id, parseWebId('https://other.example/#us'), context))
      .rejects.toBeInstanceOf(SubscriptionNotFound);
    await expect(service.replay(id, parseWebId('https://other.example/#us'), undefined))
      .rejects.toBeInstanceOf(SubscriptionNotFound);
    await service.remove(id, dataUser, context);
    await expect(service.list(dataUser)).resolves.toHaveLength(9);
    await create({ endpoint: `${base}/x` });
  });

  it('are limited for each data user, even if many are requested at once on two nodes.', async(): Promise<void> => {
    const { subscription } = await create({ endpoint: `${base}/a` });
    for (let index = 0; index < 8; index += 1) {
      await open.records.subscriptions.insert({ ...subscription, id: randomUUID(), endpoint: `${base}/${index}` });
    }
    const asked = services.map(async(one, node): Promise<NewSubscription> =>
      one.create(dataUser, { endpoint: `${base}/on-node-${node}` }, context));
    const refused = (await Promise.allSettled(asked)).filter((one): one is PromiseRejectedResult =>
      one.status === 'rejected');
    expect(refused.map(({ reason }): unknown => reason)).toEqual([ expect.any(TooManySubscriptions) ]);
    await expect(service.list(dataUser)).resolves.toHaveLength(10);
  });

  it('are one for each endpoint, even if it is verified twice at once.', async(): Promise<void> => {
    const made = await Promise.allSettled([ create({ endpoint: `${base}/a` }), create({ endpoint: `${base}/a` }) ]);
    expect(made.map(({ status }): string => status).sort()).toEqual([ 'fulfilled', 'rejected' ]);
    expect(made.find((one): one is PromiseRejectedResult => one.status === 'rejected')!.reason)
      .toBeInstanceOf(EndpointTaken);
    await expect(create({ endpoint: `${base}/a` })).rejects.toBeInstanceOf(EndpointTaken);
    await expect(service.list(dataUser)).resolves.toHaveLength(1);
  });

  it('are in the audit record.', async(): Promise<void> => {
    const endpoint = `${base}/a`;
    const { subscription: { id }} = await create({ endpoint });
    const removals = await Promise.allSettled(services.map(async(one): Promise<void> =>
      one.remove(id, dataUser, context)));
    expect(removals.map(({ status }): string => status).sort()).toEqual([ 'fulfilled', 'rejected' ]);
    const rows = await open.records.audit.list(0, 10);
    const facts = { subscription: id };
    const personal = { webId: dataUser, endpoint };
    expect(rows.map(({ event }): unknown => event)).toMatchObject([
      { type: 'subscription.made', correlationId: 'one', facts, personal },
      { type: 'subscription.removed', correlationId: 'one', facts, personal },
    ]);
  });
});
