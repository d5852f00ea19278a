import { once } from 'node:events';
import { connect } from 'node:net';
import type { Socket } from 'node:net';
import { setTimeout } from 'node:timers/promises';
import type { WebSocket as ServerSocket } from 'ws';
import { WebSocket } from 'ws';
import { logInToAccount } from '../../demo/lib/accounts';
import type { AccountHolder, TestServer } from '../support/world';
import { accountWithPod, startServer } from '../support/world';

const turtle = { 'content-type': 'text/turtle' };
const jsonLd = { 'content-type': 'application/ld+json' };

async function addressOf(response: Response): Promise<string> {
  expect(response.status).toBe(200);
  return (await response.json() as { receiveFrom: string }).receiveFrom;
}

/** Resolves when it is open. */
async function listen(address: string, from = '203.0.113.1'): Promise<ServerSocket> {
  const socket = new WebSocket(address, { headers: { 'x-forwarded-for': from }});
  await once(socket, 'open');
  return socket;
}

/** Returns the status with which a subscriber is refused. */
async function refusalAt(address: string, from = '203.0.113.1'): Promise<number> {
  const socket = new WebSocket(address, { headers: { 'x-forwarded-for': from }});
  const [ , { statusCode }] = await once(socket, 'unexpected-response') as [unknown, { statusCode: number }];
  return statusCode;
}

/** The right to read is cached for a second: later changes must not be notified. */
function expectSilence(said: string, begun: Map<string, number>, goneAt: number): void {
  const late = [ ...begun ].filter(([ name, at ]): boolean => at > goneAt + 1000 && said.includes(name));
  expect(late).toEqual([]);
}

describe('Subscriptions to notifications', (): void => {
  let server: TestServer;
  let base: string;
  let alice: AccountHolder;
  let bob: AccountHolder;
  let profile: string;

  beforeAll(async(): Promise<void> => {
    server = await startServer({ flags: {
      trustedProxies: '127.0.0.1, ::1',
      maxSubscriptionsPerResource: '100',
      maxSubscriptionsPerCaller: '3',
      maxSubscriptionsPerAddress: '700',
      maxSocketsPerAddress: '20',
    }});
    ({ base } = server);
    [ alice, bob ] = await Promise.all([ accountWithPod(base, 'alice'), accountWithPod(base, 'bob') ]);
    profile = `${alice.podUrl}profile/card`;
  });

  afterAll(async(): Promise<void> => {
    await server.stop();
  });

  /** Subscribes with no log-in by default. */
  async function subscribe(topic: string, by?: AccountHolder, from = '203.0.113.1', more = {}): Promise<Response> {
    const url = `${base}.notifications/WebSocketChannel2023/`;
    const headers = { ...jsonLd, 'x-forwarded-for': from };
    const body = JSON.stringify({
      '@context': [ 'https://www.w3.org/ns/solid/notification/v1' ],
      type: 'http://www.w3.org/ns/solid/notifications#WebSocketChannel2023',
      topic,
      ...more,
    });
    return by ? by.client.request('POST', url, { headers, body }) : fetch(url, { method: 'POST', headers, body });
  }

  async function touch(url: string): Promise<void> {
    const { status } = await alice.client.request('PATCH', url, {
      headers: { 'content-type': 'application/sparql-update' },
      body: `INSERT DATA { <urn:a> <urn:b> "${Math.random()}" }`,
    });
    expect([ 201, 205 ]).toContain(status);
  }

  /** Sets the readers, beside Alice, of a container of hers and its members. */
  async function allow(container: string, ...readers: string[]): Promise<void> {
    const { status } = await alice.client.request('PUT', `${container}.acl`, {
      headers: turtle,
      body: `@prefix acl: <http://www.w3.org/ns/auth/acl#>.
        <#owner> a acl:Authorization; acl:agent <${alice.webId}>; acl:accessTo <./>; acl:default <./>;
          acl:mode acl:Read, acl:Write, acl:Control .
        ${readers.map((reader, index): string => `<#r${index}> a acl:Authorization; acl:agent <${reader}>;
          acl:accessTo <./>; acl:default <./>; acl:mode acl:Read .`).join('\n')}`,
    });
    expect([ 201, 205 ]).toContain(status);
  }

  it('are each answered when very many are requested at once.', async(): Promise<void> => {
    const answers = Array.from({ length: 300 }, async(): Promise<Response> => subscribe(`${profile}-none`));
    const statuses = (await Promise.all(answers)).map(({ status }): number => status);
    expect(statuses.filter((status): boolean => status !== 401 && status !== 503)).toEqual([]);
  });

  it('wait for no bodies that others send slowly.', async(): Promise<void> => {
    const { host, hostname, port, pathname } = new URL('.notifications/WebSocketChannel2023/', base);
    const slow = await Promise.all(Array.from({ length: 60 }, async(): Promise<Socket> => {
      const socket = connect({ port: Number(port), host: hostname, autoSelectFamily: true });
      const head = { host, 'content-type': jsonLd['content-type'], 'content-length': '100' };
      const lines = Object.entries(head).map(([ name, value ]): string => `${name}: ${value}`);
      socket.write([ `POST ${pathname} HTTP/1.1`, ...lines, '', '{"@context":' ].join('\r\n'));
      await once(socket, 'connect');
      return socket;
    }));
    await setTimeout(500);
    expect((await subscribe(`${profile}-none`)).status).toBe(401);
    for (const socket of slow) {
      socket.destroy();
    }
  });

  it('are refused for paths that are too long for a request.', async(): Promise<void> => {
    const deep = await subscribe(`${base}${'a/'.repeat(65)}`);
    expect(deep.status).toBe(422);
    await expect(deep.text()).resolves.toContain('A path has at most 64 segments.');
    expect((await subscribe(`${base}${'a'.repeat(2100)}`)).status).toBe(422);
  });

  it.each([
    [ 'startAt', '10000-01-01T00:00:00Z' ],
    [ 'endAt', '10000-01-01T00:00:00Z' ],
    [ 'rate', `P${'9'.repeat(400)}Y` ],
  ])('are refused with a %s that is out of range.', async(name, value): Promise<void> => {
    const refused = await subscribe(profile, undefined, '203.0.113.2', { [name]: value });
    expect(refused.status).toBe(422);
    await expect(refused.text()).resolves.toContain(`${name} is out of range`);
  });

  it('are refused past the limit, and break nothing: 200 at once without a log-in.', async(): Promise<void> => {
    const answers = await Promise.all(Array.from({ length: 200 }, async(): Promise<Response> => subscribe(profile)));
    const taken = answers.filter(({ status }): boolean => status === 200);
    expect(taken.length).toBeLessThanOrEqual(50);
    for (const refused of answers.filter(({ status }): boolean => status !== 200)) {
      expect(refused.status).toBe(503);
      expect(refused.headers.get('retry-after')).toMatch(/^\d+$/u);
      await expect(refused.text()).resolves.toMatch(/too many|waited too long/iu);
    }
    const listeners = await Promise.all(taken.slice(0, 10)
      .map(async(answer): Promise<ServerSocket> => listen(await addressOf(answer))));
    const messages = listeners.map(async(socket): Promise<unknown> => once(socket, 'message'));
    await touch(profile);
    await Promise.all(messages);
    expect((await fetch(profile)).status).toBe(200);
    for (const socket of listeners) {
      socket.terminate();
    }
  });

  it('are not made when Accept leaves no form for the response.', async(): Promise<void> => {
    const dave = await accountWithPod(base, 'dave');
    const url = `${base}.notifications/WebSocketChannel2023/`;
    const headers = { ...jsonLd, accept: 'image/png' };
    const body = JSON.stringify({
      '@context': [ 'https://www.w3.org/ns/solid/notification/v1' ],
      type: 'http://www.w3.org/ns/solid/notifications#WebSocketChannel2023',
      topic: profile,
    });
    for (const method of [ 'POST', 'POST', 'POST', 'GET', 'HEAD' ]) {
      const { status } = await dave.client.request(method, url, { headers, ...method === 'POST' ? { body } : {}});
      expect([ method, status ]).toEqual([ method, 406 ]);
    }
    const turtleOnly = await dave.client.request('POST', url, { headers: { ...jsonLd, accept: 'text/turtle' }, body });
    expect([ turtleOnly.status, turtleOnly.headers.get('content-type') ]).toEqual([ 200, 'text/turtle' ]);
  });

  it('are counted by WebID and by address.', async(): Promise<void> => {
    const statuses: number[] = [];
    for (let index = 0; index < 4; index += 1) {
      statuses.push((await subscribe(profile, alice)).status);
    }
    expect(statuses).toEqual([ 200, 200, 200, 429 ]);
  });

  /** Creates documents until a promise settles, and records when each was begun. */
  async function touchUntil(end: Promise<unknown>, container: string): Promise<Map<string, number>> {
    const begun = new Map<string, number>();
    const ended = new AbortController();
    const ending = end.then((): void => ended.abort());
    while (!ended.signal.aborted) {
      const name = `name-${begun.size}-of-many`;
      begun.set(name, performance.now());
      await touch(`${container}${name}`);
    }
    await ending;
    return begun;
  }

  it('end with the right to read, as does their address.', async(): Promise<void> => {
    const container = `${alice.podUrl}shared/`;
    await allow(container, bob.webId);
    const address = await addressOf(await subscribe(container, bob));
    const socket = await listen(address);
    const messages: string[] = [];
    socket.on('message', (message): unknown => messages.push((message as Buffer).toString()));
    const first = once(socket, 'message');
    await touch(`${container}first`);
    await first;
    const closed = once(socket, 'close');
    await allow(container);
    const goneAt = performance.now();
    const begun = await touchUntil(closed, container);
    expectSilence(messages.join(''), begun, goneAt);
    await expect(refusalAt(address)).resolves.toBe(404);
  });

  it('do not let anybody listen whose right to read has ended before.', async(): Promise<void> => {
    const container = `${alice.podUrl}gone/`;
    await allow(container, bob.webId);
    const address = await addressOf(await subscribe(container, bob));
    await allow(container);
    await expect(refusalAt(address)).resolves.toBe(403);
    await expect(refusalAt(address)).resolves.toBe(404);
  });

  it('over streams are linked from the resource, not from responses that describe none.', async(): Promise<void> => {
    const url = `${alice.podUrl}linked`;
    const put = await alice.client.request('PUT', url, { headers: { 'content-type': 'text/plain' }, body: 'x' });
    expect([ put.status, put.headers.get('link') ]).toEqual([ 201, null ]);
    const refused = await bob.client.request('GET', url);
    expect(refused.status).toBe(403);
    expect(refused.headers.get('link')).not.toContain('StreamingHTTPChannel2023');
    for (const path of [ '.account/', '.notifications/WebSocketChannel2023/' ]) {
      expect((await fetch(base + path)).headers.get('link') ?? '').not.toContain('StreamingHTTPChannel2023');
    }
    const read = await alice.client.request('GET', url);
    expect(read.headers.get('link'))
      .toContain(`<${base}.notifications/StreamingHTTPChannel2023/${encodeURIComponent(url)}>; rel="`);
  });

  it('over streams are in Turtle, and 406 when Accept excludes it.', async(): Promise<void> => {
    const url = `${base}.notifications/StreamingHTTPChannel2023/${encodeURIComponent(profile)}`;
    const json = await bob.client.request('GET', url, { headers: { accept: 'application/ld+json' }});
    expect(json.status).toBe(406);
    const accept = 'application/ld+json, text/turtle;q=0.5';
    const { body, headers } = await bob.client.request('GET', url, { headers: { accept }});
    expect(headers.get('content-type')).toBe('text/turtle');
    const reader = body!.getReader();
    expect(Buffer.from((await reader.read()).value!).toString()).toContain('activitystreams#Update');
    await reader.cancel();
  });

  it('over streams end with the right to read, too.', async(): Promise<void> => {
    const container = `${alice.podUrl}streamed/`;
    await allow(container, bob.webId);
    const url = `${base}.notifications/StreamingHTTPChannel2023/${encodeURIComponent(container)}`;
    const { body, status } = await bob.client.request('GET', url);
    expect(status).toBe(200);
    const reader = body!.getReader();
    await reader.read();
    await allow(container);
    const goneAt = performance.now();
    let said = '';
    const ended = (async(): Promise<void> => {
      for (let { done, value } = await reader.read(); !done; { done, value } = await reader.read()) {
        said += Buffer.from(value ?? []).toString();
      }
    })();
    const begun = await touchUntil(ended, container);
    expectSilence(said, begun, goneAt);
  });

  it('end when their WebID is unlinked from its account, also over streams.', async(): Promise<void> => {
    const carol = await accountWithPod(base, 'carol');
    const container = `${alice.podUrl}left/`;
    await allow(container, carol.webId, bob.webId);
    const stream = `${base}.notifications/StreamingHTTPChannel2023/${encodeURIComponent(container)}`;
    const [ left, kept ] = await Promise.all([ carol, bob ].map(async({ client }): Promise<Response> =>
      client.request('GET', stream)));
    const address = await addressOf(await subscribe(container, carol));
    const socket = await listen(address);
    const messages: unknown[] = [];
    socket.on('message', (message): unknown => messages.push(message));
    const { authorization } = await logInToAccount(base, { email: 'carol@example.org', password: 'password of carol' });
    const headers = { authorization, accept: 'application/json' };
    const { controls } = await (await fetch(`${base}.account/`, { headers })).json() as
      { controls: { account: { webId: string }}};
    const { webIdLinks } = await (await fetch(controls.account.webId, { headers })).json() as
      { webIdLinks: Record<string, string> };
    expect((await fetch(webIdLinks[carol.webId], { method: 'DELETE', headers })).status).toBe(200);
    const reader = kept.body!.getReader();
    await touch(`${container}late`);
    let said = '';
    while (!said.includes('late')) {
      const { done, value } = await reader.read();
      expect(done).toBe(false);
      said += Buffer.from(value!).toString();
    }
    await expect(left.text()).resolves.not.toContain('late');
    await expect(refusalAt(address)).resolves.toBe(404);
    expect(messages).toEqual([]);
    await reader.cancel();
    socket.terminate();
  });

  it.each<[string, (socket: Socket, round: number) => Promise<void>]>([
    [ 'while they wait behind another response', async(socket): Promise<void> => {
      await once(socket, 'data');
      await setTimeout(300);
    } ],
    [ 'before their response', async(_socket, round): Promise<void> => setTimeout(2 + round) ],
  ])('over streams leave no places taken when their connection closes %s.', async(_when, ready): Promise<void> => {
    const from = '203.0.113.11';
    const { host, hostname, port } = new URL(base);
    const target = `/.notifications/StreamingHTTPChannel2023/${encodeURIComponent(profile)}`;
    const request = [ `GET ${target} HTTP/1.1`, `Host: ${host}`, `X-Forwarded-For: ${from}`, '\r\n' ].join('\r\n');
    for (let round = 0; round < 8; round += 1) {
      const socket = connect({ port: Number(port), host: hostname, autoSelectFamily: true });
      await once(socket, 'connect');
      socket.write(request.repeat(5));
      await ready(socket, round);
      socket.resetAndDestroy();
    }
    // The server may notice some of them later.
    let statuses = [ 0 ];
    for (let attempt = 0; attempt < 20 && statuses.some((status): boolean => status !== 200); attempt += 1) {
      await setTimeout(500);
      const streams = await Promise.all(Array.from({ length: 20 }, async(): Promise<Response> =>
        fetch(`${base}${target.slice(1)}`, { headers: { 'x-forwarded-for': from }})));
      statuses = streams.map(({ status }): number => status);
      await Promise.all(streams.map(async({ body }): Promise<void> => body!.cancel()));
    }
    expect(new Set(statuses)).toEqual(new Set([ 200 ]));
  });

  it('need WebSockets within the limits per address, and with few messages.', async(): Promise<void> => {
    const from = '203.0.113.9';
    const address = await addressOf(await subscribe(`${bob.podUrl}profile/card`, undefined, from));
    const sockets = await Promise.all(Array.from({ length: 20 }, async(): Promise<ServerSocket> =>
      listen(address, from)));
    await expect(refusalAt(address, from)).resolves.toBe(429);
    const closed = once(sockets[0], 'close');
    sockets[0].send('x'.repeat(5000));
    const [ code ] = await closed as [number];
    expect(code).toBe(1009);
    for (const socket of sockets) {
      socket.terminate();
    }
  });
});
