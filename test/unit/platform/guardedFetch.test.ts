import { createHook } from 'node:async_hooks';
import type { ServerResponse } from 'node:http';
import type { ConnectionOptions, TLSSocket } from 'node:tls';
import tls from 'node:tls';
import { gzipSync } from 'node:zlib';
import { FetchFailed, FetchRefused } from '../../../src/platform/fetchErrors';
import { createGuardedFetch } from '../../../src/platform/guardedFetch';
import type { Fetched, GuardedFetch, GuardedFetchOptions } from '../../../src/platform/guardedFetch';
import { KeptConnection } from '../../../src/platform/KeptConnection';
import { LoopbackServer } from './loopbackServer';
import { loopbackTls } from './loopbackTls';

const accept = 'text/plain';
const strict = createGuardedFetch({ allowLoopback: false });
const local = createGuardedFetch({ allowLoopback: true });

/** Addresses from a name server. */
type Addresses = Awaited<ReturnType<NonNullable<GuardedFetchOptions['resolve']>>>;

function named(addresses: string[]): GuardedFetch {
  return createGuardedFetch({
    allowLoopback: false,
    resolve: async(): Promise<Addresses> => addresses.map((address): Addresses[number] =>
      ({ address, family: address.includes(':') ? 6 : 4 })),
  });
}

const connect = tls.connect.bind(tls) as (options: ConnectionOptions) => TLSSocket;

/** Trusts the certificate of the tests, as NODE_EXTRA_CA_CERTS would. */
function connectTrusting(options: ConnectionOptions): TLSSocket {
  return connect({ ...options, ca: loopbackTls.cert });
}

function connectionsTo({ requests }: LoopbackServer): number {
  return new Set(requests.map(({ socket }): unknown => socket)).size;
}

describe('guarded fetch', (): void => {
  let server: LoopbackServer;

  beforeAll(async(): Promise<void> => {
    server = await LoopbackServer.start();
  });

  beforeEach((): void => {
    server.clear();
    server.serve('/', 'Text/Plain; charset=utf-8', 'hello');
  });

  afterAll(async(): Promise<void> => {
    await server.stop();
  });

  describe('refuses', (): void => {
    it.each([
      'http://127.0.0.1/',
      'https://127.0.0.1/',
      'https://127.1/',
      'https://2130706433/',
      'https://0x7f000001/',
      'https://0177.0.0.1/',
      'https://0x7f.1/',
      'https://127.0.0.1./',
      'https://127.255.255.254/',
      'https://0.0.0.0/',
      'https://0/',
      'https://10.0.0.1/',
      'https://172.16.0.1/',
      'https://172.31.255.255/',
      'https://192.168.1.1/',
      'https://3232235777/',
      'https://169.254.169.254/latest/meta-data/',
      'https://100.64.0.1/',
      'https://100.127.255.255/',
      'https://192.0.0.1/',
      'https://192.0.2.1/',
      'https://198.18.0.1/',
      'https://198.51.100.1/',
      'https://168.63.129.16/machine?comp=goalstate',
      'https://[::ffff:168.63.129.16]/',
      'https://[64:ff9b::a83f:8110]/',
      'https://2822734096/',
      'https://0xa83f8110/',
      'https://198.19.255.255/',
      'https://192.31.196.1/',
      'https://203.0.113.1/',
      'https://192.88.99.1/',
      'https://224.0.0.1/',
      'https://239.255.255.250/',
      'https://240.0.0.1/',
      'https://255.255.255.255/',
      'https://[::]/',
      'https://[::1]/',
      'https://[0:0:0:0:0:0:0:1]/',
      'https://[::127.0.0.1]/',
      'https://[::7f00:1]/',
      'https://[::ffff:127.0.0.1]/',
      'https://[::ffff:8.8.8.8]/',
      'https://[::ffff:0:127.0.0.1]/',
      'https://[64:ff9b::7f00:1]/',
      'https://[64:ff9b:1::a00:1]/',
      'https://[2002:7f00:1::]/',
      'https://[2002:a00:1::1]/',
      'https://[2001:0:4136:e378::1]/',
      'https://[fe80::1]/',
      'https://[fec0::1]/',
      'https://[fc00::1]/',
      'https://[fd12:3456:789a::1]/',
      'https://[ff02::1]/',
      'https://[2001:db8::1]/',
      'https://[3fff::1]/',
      'https://[2001:2::1]/',
      'https://[2001:20::1]/',
      'https://[2001:30::1]/',
      'https://[2001:1::1]/',
      'https://[2620:4f:8000::1]/',
      'https://[fd00:ec2::254]/',
      'https://[fe80::a9fe:a9fe]/',
      'https://[100::1]/',
      'https://[5f00::1]/',
      'https://[4000::1]/',
      'https://localhost/',
      'https://LOCALHOST/',
      'https://①②⑦.0.0.1/',
      'https://user:secret@8.8.8.8/',
      'https://user@8.8.8.8/',
      'http://8.8.8.8/',
      'ftp://8.8.8.8/',
      'file:///etc/passwd',
      'data:text/plain,x',
      'javascript:1',
      'https://',
      'https://[::1',
      'not a URL',
      '//8.8.8.8/',
      '',
    ])('%s.', async(url): Promise<void> => {
      await expect(strict(url, { accept })).rejects.toBeInstanceOf(FetchRefused);
    });

    it.each([
      [[ '127.0.0.1' ]],
      [[ '8.8.8.8', '10.0.0.1' ]],
      [[ '2606:4700::1111', '::1' ]],
      [[ 'fe80::1%eth0' ]],
      [[ 'what' ]],
    ])('a name with the addresses %p, like a name that does not exist.', async(addresses): Promise<void> => {
      await expect(named(addresses)('https://rebind.example/', { accept })).rejects
        .toMatchObject({ name: 'FetchRefused', message: 'the server cannot be reached' });
    });

    it('private addresses even when loopback is allowed.', async(): Promise<void> => {
      for (const host of [ '10.0.0.1', '169.254.169.254', '[::ffff:127.0.0.1]', '[fd00::1]' ]) {
        await expect(local(`http://${host}/`, { accept })).rejects.toBeInstanceOf(FetchRefused);
      }
    });

    it('before sending anything.', async(): Promise<void> => {
      for (const host of [ '127.0.0.1', '2130706433', 'localhost' ]) {
        await expect(strict(`https://${host}:${server.port}/`, { accept })).rejects.toBeInstanceOf(FetchRefused);
      }
      expect(server.requests).toEqual([]);
    });
  });

  it('returns status, media type, body and headers.', async(): Promise<void> => {
    await expect(local(`${server.url}/`, { accept })).resolves.toMatchObject({
      status: 200,
      contentType: 'text/plain',
      body: Buffer.from('hello'),
      url: `${server.url}/`,
      headers: { 'content-type': 'Text/Plain; charset=utf-8' },
    });
    await expect(local(`${server.url}/absent`, { accept })).resolves.toMatchObject({ status: 404, contentType: '' });
  });

  it('sends the given Accept, and nothing about the caller.', async(): Promise<void> => {
    await local(`${server.url}/`, { accept: 'text/turtle' });
    const { host, connection, ...headers } = server.requests[0].headers;
    expect(headers).toEqual({ accept: 'text/turtle', 'accept-encoding': 'identity' });
  });

  it('connects to the address that was checked, after one look-up.', async(): Promise<void> => {
    let asked = 0;
    const fetch = createGuardedFetch({
      allowLoopback: true,
      resolve: async(): Promise<Addresses> => {
        asked += 1;
        return [{ address: asked === 1 ? '127.0.0.1' : '192.0.2.1', family: 4 }];
      },
    });
    await expect(fetch(`http://rebind.example:${server.port}/`, { accept })).resolves.toMatchObject({ status: 200 });
    expect(asked).toBe(1);
    expect(server.requests[0].headers.host).toBe(`rebind.example:${server.port}`);
  });

  it('occupies no thread of the process while it looks up a name.', async(): Promise<void> => {
    const types: string[] = [];
    const hook = createHook({ init: (_id, type): unknown => types.push(type) }).enable();
    try {
      await expect(strict('https://nobody.invalid/', { accept })).rejects.toBeInstanceOf(FetchFailed);
    } finally {
      hook.disable();
    }
    expect(types).toContain('QUERYWRAP');
    expect(types).not.toContain('GETADDRINFOREQWRAP');
  });

  it('reaches any address named in the settings.', async(): Promise<void> => {
    await expect(strict(`${server.url}/`, { accept, fromSettings: true })).resolves.toMatchObject({ status: 200 });
  });

  describe('follows redirects', (): void => {
    it('three times, and returns the final URL.', async(): Promise<void> => {
      server.redirect('/a', '/b', 301);
      server.redirect('/b', `${server.url}/c`, 307);
      server.redirect('/c', '/');
      await expect(local(`${server.url}/a`, { accept })).resolves.toMatchObject({ status: 200, url: `${server.url}/` });
      server.redirect('/z', '/a');
      await expect(local(`${server.url}/z`, { accept })).rejects
        .toMatchObject({ name: 'FetchFailed', message: 'too many redirects' });
    });

    it.each([
      'https://10.0.0.1/',
      'https://[::ffff:10.0.0.1]/',
      'http://169.254.169.254/',
      'file:///etc/passwd',
      'https://a:b@8.8.8.8/',
      'https://[broken',
    ])('but not to %s.', async(location): Promise<void> => {
      server.redirect('/away', location);
      await expect(local(`${server.url}/away`, { accept })).rejects.toBeInstanceOf(FetchRefused);
    });

    it('from a URL in the settings, without checks within its origin only.', async(): Promise<void> => {
      const other = await LoopbackServer.start();
      try {
        other.serve('/', 'text/plain', 'secret');
        server.redirect('/here', '/');
        server.redirect('/there', `${other.url}/`);
        await expect(strict(`${server.url}/here`, { accept, fromSettings: true })).resolves
          .toMatchObject({ status: 200 });
        await expect(strict(`${server.url}/there`, { accept, fromSettings: true })).rejects
          .toBeInstanceOf(FetchRefused);
        expect(other.requests).toEqual([]);
      } finally {
        await other.stop();
      }
    });

    it('only if there is a Location.', async(): Promise<void> => {
      server.serve('/odd', 'text/plain', '', 302);
      await expect(local(`${server.url}/odd`, { accept })).resolves.toMatchObject({ status: 302 });
    });
  });

  describe('over https', (): void => {
    let secure: LoopbackServer;
    let fetch: GuardedFetch;

    beforeAll(async(): Promise<void> => {
      secure = await LoopbackServer.start(loopbackTls);
      fetch = createGuardedFetch({
        allowLoopback: true,
        resolve: async(): Promise<Addresses> => [{ address: '127.0.0.1', family: 4 }],
      });
    });

    beforeEach((): void => {
      jest.spyOn(tls, 'connect').mockImplementation(connectTrusting as typeof tls.connect);
      secure.clear();
      secure.serve('/', 'text/plain', 'hello');
    });

    afterEach((): void => {
      jest.restoreAllMocks();
    });

    afterAll(async(): Promise<void> => {
      await secure.stop();
    });

    it('requests the name from the checked address.', async(): Promise<void> => {
      await expect(fetch(`https://idp.example:${secure.port}/`, { accept })).resolves.toMatchObject({ status: 200 });
      expect(secure.requests[0].headers.host).toBe(`idp.example:${secure.port}`);
    });

    it('requires a certificate for that name.', async(): Promise<void> => {
      await expect(fetch(`https://other.example:${secure.port}/`, { accept })).rejects.toBeInstanceOf(FetchFailed);
      await expect(fetch(`https://127.0.0.1:${secure.port}/`, { accept })).rejects.toBeInstanceOf(FetchFailed);
      expect(secure.requests).toEqual([]);
    });

    it('requires a trusted certificate.', async(): Promise<void> => {
      jest.restoreAllMocks();
      await expect(fetch(`https://idp.example:${secure.port}/`, { accept })).rejects.toBeInstanceOf(FetchFailed);
      expect(secure.requests).toEqual([]);
    });

    it('follows redirects to https only.', async(): Promise<void> => {
      secure.redirect('/secure', '/');
      secure.redirect('/plain', `${server.url}/`);
      const origin = `https://idp.example:${secure.port}`;
      await expect(fetch(`${origin}/secure`, { accept })).resolves.toMatchObject({ status: 200 });
      await expect(fetch(`${origin}/plain`, { accept })).rejects.toBeInstanceOf(FetchRefused);
      await expect(fetch(`${origin}/plain`, { accept, fromSettings: true })).rejects.toBeInstanceOf(FetchRefused);
      expect(server.requests).toEqual([]);
    });
  });

  describe('over a kept-alive connection', (): void => {
    let over: KeptConnection;
    /** Addresses of the host, lookup by lookup. */
    let addresses: string[];
    let lookups: number;
    let fetch: GuardedFetch;

    beforeEach((): void => {
      over = new KeptConnection();
      addresses = [ '127.0.0.1', '10.0.0.1' ];
      lookups = 0;
      fetch = createGuardedFetch({
        allowLoopback: true,
        maxBodyBytes: 1000,
        resolve: async(): Promise<Addresses> => {
          lookups += 1;
          return [{ address: addresses[lookups - 1], family: 4 }];
        },
      });
    });

    afterEach(async(): Promise<void> => over.close());

    async function send(path = '/', name = 'user.example'): Promise<Fetched> {
      const url = `http://${name}:${server.port}${path}`;
      return fetch(url, { accept, send: { method: 'POST', headers: {}, body: 'news', over }});
    }

    it('stays with the address that was checked, whatever the name resolves to later.', async(): Promise<void> => {
      for (let index = 0; index < 3; index += 1) {
        await expect(send()).resolves.toMatchObject({ status: 200 });
      }
      expect([ connectionsTo(server), lookups ]).toEqual([ 1, 1 ]);
      await over.close();
      await expect(send()).rejects.toBeInstanceOf(FetchRefused);
      expect(server.requests).toHaveLength(3);
    });

    it('stays with that address even if the server closes it after a response.', async(): Promise<void> => {
      server.answers.set('/', (response): void => {
        response.writeHead(200, { connection: 'close' });
        response.end('hello');
      });
      await send();
      await expect(send()).resolves.toMatchObject({ status: 200 });
      expect([ connectionsTo(server), lookups ]).toEqual([ 2, 1 ]);
    });

    it('retries when that breaks, with an address that is checked again.', async(): Promise<void> => {
      addresses = [ '127.0.0.1', '127.0.0.1', '10.0.0.1' ];
      server.serve('/breaks', 'text/plain', 'first');
      await send('/breaks');
      for (const answered of [ 'again', undefined ]) {
        server.answers.set('/breaks', (_response, { socket }): void => {
          server.serve('/breaks', 'text/plain', 'again');
          socket.destroy();
        });
        const sent = await Promise.allSettled([ send('/breaks') ]);
        const expected = answered ? { value: { body: Buffer.from(answered) }} : { reason: { name: 'FetchRefused' }};
        expect(sent).toMatchObject([ expected ]);
      }
      expect([ server.requests.length, lookups ]).toEqual([ 4, 3 ]);
    });

    it('serves one host only.', async(): Promise<void> => {
      await send();
      await expect(send('/', 'other.example')).rejects.toBeInstanceOf(FetchRefused);
      addresses.push('127.0.0.1');
      await expect(send('/', 'third.example')).resolves.toMatchObject({ status: 200 });
      expect(connectionsTo(server)).toBe(2);
    });

    it('is not reused after a response that was not read to its end.', async(): Promise<void> => {
      addresses[1] = '127.0.0.1';
      await send();
      server.serve('/large', 'text/plain', Buffer.alloc(1001));
      await expect(send('/large')).rejects.toMatchObject({ message: 'the answer is too large' });
      await send();
      expect([ server.requests.length, connectionsTo(server), lookups ]).toEqual([ 3, 2, 2 ]);
    });
  });

  describe('gives up', (): void => {
    it('on a body that is too large, however it is announced.', async(): Promise<void> => {
      const fetch = createGuardedFetch({ allowLoopback: true, maxBodyBytes: 1000 });
      server.serve('/fits', 'text/plain', Buffer.alloc(1000));
      server.serve('/large', 'text/plain', Buffer.alloc(1001));
      server.answers.set('/endless', (response): void => {
        response.writeHead(200);
        function pour(): void {
          while (response.write(Buffer.alloc(100))) {
            ;
          }
          response.once('drain', pour);
        }
        pour();
      });
      await expect(fetch(`${server.url}/fits`, { accept })).resolves.toMatchObject({ status: 200 });
      for (const path of [ '/large', '/endless' ]) {
        await expect(fetch(server.url + path, { accept })).rejects
          .toMatchObject({ name: 'FetchFailed', message: 'the answer is too large' });
      }
    });

    it('on a server that does not answer, or never ends.', async(): Promise<void> => {
      const fetch = createGuardedFetch({ allowLoopback: true, timeoutMs: 50 });
      server.answers.set('/silent', (): void => {
        // Sends nothing.
      });
      server.answers.set('/slow', (response): void => {
        response.writeHead(200, { 'content-length': '100' });
        response.write('a');
      });
      for (const path of [ '/silent', '/slow' ]) {
        await expect(fetch(server.url + path, { accept })).rejects
          .toMatchObject({ name: 'FetchFailed', message: 'no complete answer in time' });
      }
    });

    it('on a name server that does not answer.', async(): Promise<void> => {
      const fetch = createGuardedFetch({
        allowLoopback: true,
        timeoutMs: 20,
        resolve: async(): Promise<never> => new Promise((): void => {
          // Never.
        }),
      });
      await expect(fetch('https://slow.example/', { accept })).rejects
        .toMatchObject({ name: 'FetchFailed', message: 'no complete answer in time' });
    });

    it('on a server that is down.', async(): Promise<void> => {
      const gone = await LoopbackServer.start();
      const { url } = gone;
      await gone.stop();
      await expect(local(url, { accept })).rejects
        .toMatchObject({ name: 'FetchFailed', message: 'the server cannot be reached' });
      await expect(named([])('https://nobody.example/', { accept })).rejects
        .toMatchObject({ name: 'FetchFailed', message: 'the server cannot be reached' });
    });

    it('on a compressed body.', async(): Promise<void> => {
      server.answers.set('/bomb', (response): void => {
        response.writeHead(200, { 'content-encoding': 'gzip' });
        response.end(gzipSync('hello'));
      });
      await expect(local(`${server.url}/bomb`, { accept })).rejects
        .toMatchObject({ name: 'FetchFailed', message: 'the answer is compressed' });
    });

    it('on a compressed body that is still being sent, and ends nothing else.', async(): Promise<void> => {
      server.answers.set('/endless', (response): void => {
        response.writeHead(200, { 'content-encoding': 'gzip' });
        response.write(gzipSync('hello'));
      });
      await expect(local(`${server.url}/endless`, { accept })).rejects
        .toMatchObject({ name: 'FetchFailed', message: 'the answer is compressed' });
      // An error that nobody hears would end the process, or this test, until then.
      await expect(local(`${server.url}/`, { accept })).resolves.toMatchObject({ status: 200 });
    });

    it('on a connection that breaks.', async(): Promise<void> => {
      server.answers.set('/break', (response): void => {
        response.writeHead(200, { 'content-length': '100' });
        response.write('a', (): void => {
          response.destroy();
        });
      });
      await expect(local(`${server.url}/break`, { accept })).rejects
        .toMatchObject({ name: 'FetchFailed', message: 'the server cannot be reached' });
    });
  });

  it('counts all names of one site together, but hosts in the settings separately.', async(): Promise<void> => {
    const fetch = createGuardedFetch({
      allowLoopback: true,
      perHost: 2,
      queuePerHost: 1,
      total: 3,
      resolve: async(): Promise<Addresses> => [{ address: '127.0.0.1', family: 4 }],
    });
    const held: ServerResponse[] = [];
    const arrivals = new Promise<void>((arrived): void => {
      server.answers.set('/held', (response): void => {
        held.push(response);
        if (held.length >= 2) {
          arrived();
        }
      });
    });
    const answers = [ 1, 2, 3, 4 ].map(async(index): Promise<unknown> => {
      try {
        return (await fetch(`http://n${index}.evil.example:${server.port}/held`, { accept })).status;
      } catch (error: unknown) {
        return (error as Error).message;
      }
    });
    await arrivals;
    await expect(answers[3]).resolves.toBe('too many requests are waiting');
    await expect(fetch(`http://idp.example:${server.port}/`, { accept, fromSettings: true })).resolves
      .toMatchObject({ status: 200 });
    expect(held).toHaveLength(2);
    server.serve('/held', 'text/plain', 'later');
    for (const response of held) {
      response.end();
    }
    await expect(Promise.all(answers.slice(0, 3))).resolves.toEqual([ 200, 200, 200 ]);
  });

  it('sends one host a limited number of requests at a time, in turn.', async(): Promise<void> => {
    const fetch = createGuardedFetch({ allowLoopback: true, perHost: 2, queuePerHost: 1 });
    const open: (() => void)[] = [];
    const arrivals = new Promise<void>((resolve): void => {
      server.answers.set('/wait', (response): void => {
        open.push((): void => {
          response.end('done');
        });
        if (open.length === 2) {
          resolve();
        }
      });
    });
    const three = [ 1, 2, 3 ].map(async(): Promise<unknown> => fetch(`${server.url}/wait`, { accept }));
    await arrivals;
    await expect(fetch(`${server.url}/wait`, { accept })).rejects
      .toMatchObject({ name: 'FetchFailed', message: 'too many requests are waiting' });
    await expect(fetch(`http://localhost:${server.port}/`, { accept })).resolves.toMatchObject({ status: 200 });
    expect(open).toHaveLength(2);
    server.serve('/wait', 'text/plain', 'third');
    for (const answer of open) {
      answer();
    }
    await expect(Promise.all(three)).resolves.toMatchObject([
      { body: Buffer.from('done') },
      { body: Buffer.from('done') },
      { body: Buffer.from('third') },
    ]);
    await expect(fetch(`${server.url}/`, { accept })).resolves.toMatchObject({ status: 200 });
  });
});
