import { once } from 'node:events';
import type { Server } from 'node:http';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { hostname } from 'node:os';
import { generateKeyPair } from 'jose';
import type { Account } from '../../demo/lib/accounts';
import { createAccount } from '../../demo/lib/accounts';
import { expectProblem } from '../support/callers';
import { redeemWithAssertion } from '../support/redeemWithAssertion';
import type { AccountHolder, TestServer } from '../support/world';
import { accountWithPod, Client, startServer } from '../support/world';

const turtle = { 'content-type': 'text/turtle' };
const jsonLd = { 'content-type': 'application/ld+json' };
const acl = 'http://www.w3.org/ns/auth/acl#';

/** Another server is inside the operator's network: nobody outside may make ours connect to it. */
describe('Limits on what a server fetches and serves:', (): void => {
  let inside: Server;
  let port: number;
  let connections = 0;
  let server: TestServer;
  let base: string;
  let mallory: AccountHolder;
  let other: AccountHolder;

  beforeAll(async(): Promise<void> => {
    inside = createServer((request, response): void => {
      const type = request.url?.startsWith('/group') ? 'text/turtle' : 'application/ld+json';
      response.writeHead(200, { 'content-type': type }).end('{"@context":{}}');
    });
    inside.on('connection', (): void => {
      connections += 1;
    });
    // On all addresses, including IPv6 where available.
    inside.listen(0);
    await once(inside, 'listening');
    ({ port } = inside.address() as AddressInfo);
    server = await startServer({ flags: {
      allowLoopback: undefined,
      trustedProxies: '127.0.0.1, ::1',
      rateLimitPerAddress: '150',
      rateLimitPerCaller: '30',
      rateLimitFailures: '40',
    }});
    ({ base } = server);
    mallory = await accountWithPod(base, 'mallory');
    other = await accountWithPod(base, 'other');
  });

  beforeEach((): void => {
    connections = 0;
  });

  afterAll(async(): Promise<void> => {
    await server.stop();
    inside.closeAllConnections();
    inside.close();
  });

  async function put(name: string, body: string, headers: Record<string, string> = turtle): Promise<number> {
    return (await mallory.client.request('PUT', mallory.podUrl + name, { headers, body })).status;
  }

  /** Returns an access control list: the owner may do everything, plus one more rule. */
  async function allow(name: string, rule: string): Promise<number> {
    return put(`${name}.acl`, [
      `<#owner> a <${acl}Authorization>; <${acl}agent> <${mallory.webId}>; <${acl}accessTo> <${name}>;`,
      `  <${acl}mode> <${acl}Read>, <${acl}Write>, <${acl}Control> .`,
      `<#rule> a <${acl}Authorization>; <${acl}accessTo> <${name}>; <${acl}mode> <${acl}Read>; ${rule} .`,
    ].join('\n'));
  }

  async function asTurtle(name: string): Promise<Response> {
    return mallory.client.request('GET', mallory.podUrl + name, { headers: { accept: 'text/turtle' }});
  }

  /** Sends JSON-LD where anybody may, without a log-in. */
  async function subscribe(context: string): Promise<number> {
    const url = `${base}.notifications/WebSocketChannel2023/`;
    return (await fetch(url, { method: 'POST', headers: jsonLd, body: withContext(context) })).status;
  }

  describe('no JSON-LD context inside the network is fetched', (): void => {
    it.each([
      'localhost',
      '127.0.0.1',
      '127.1',
      '2130706433',
      '0x7f000001',
      '0177.0.0.1',
      '0.0.0.0',
      '[::1]',
      '[::]',
      '[::ffff:127.0.0.1]',
      'localhost.',
    ])('at %s.', async(host): Promise<void> => {
      for (const scheme of [ 'http', 'https' ]) {
        await expect(subscribe(`${scheme}://${host}:${port}/context`)).resolves.toBe(422);
      }
      expect(connections).toBe(0);
    });

    it('for a document that is patched.', async(): Promise<void> => {
      await expect(put('patched', withContext(`http://localhost:${port}/patched`), jsonLd)).resolves.toBe(201);
      const patched = await mallory.client.request('PATCH', `${mallory.podUrl}patched`, {
        headers: { 'content-type': 'application/sparql-update' },
        body: 'INSERT DATA { <urn:a> <urn:b> <urn:c> }',
      });
      expect(patched.status).toBe(400);
      expect(connections).toBe(0);
    });
  });

  it('no group in an access control list inside the network is fetched.', async(): Promise<void> => {
    await put('grouped', '<> <urn:is> "this" .');
    await expect(allow('grouped', `<${acl}agentGroup> <http://localhost:${port}/group#it>`)).resolves.toBe(201);
    expect((await other.client.request('GET', `${mallory.podUrl}grouped`)).status).toBe(403);
    expect(connections).toBe(0);
  });

  describe('nothing inside the network is fetched for clients of the identity provider:', (): void => {
    it('no documents at client ids.', async(): Promise<void> => {
      const query = new URLSearchParams({
        client_id: `http://localhost:${port}/client`,
        redirect_uri: 'https://app.example/',
        response_type: 'code',
        scope: 'openid',
      });
      const response = await fetch(`${base}.oidc/auth?${query.toString()}`, { redirect: 'manual' });
      expect(response.status).toBe(400);
      expect(connections).toBe(0);
    });

    it.each([ 'localhost', '127.0.0.1', '[::1]' ])('no sector identifiers at %s.', async(host): Promise<void> => {
      const response = await register(base, { sector_identifier_uri: `https://${host}:${port}/sector` });
      expect(response.status).toBe(400);
      expect(connections).toBe(0);
    });

    it('no key sets, which are refused when they are named.', async(): Promise<void> => {
      for (const host of [ 'localhost', '127.0.0.1', '10.0.0.1', '[fd00::1]' ]) {
        const refused = await register(base, {
          token_endpoint_auth_method: 'private_key_jwt',
          jwks_uri: `https://${host}:${port}/keys`,
        });
        expect([ refused.status, (await refused.json() as { error: string }).error ])
          .toEqual([ 400, 'invalid_client_metadata' ]);
      }
      expect(connections).toBe(0);
    });

    it('no key sets at a name that resolves to an inside address.', async(): Promise<void> => {
      const registered = await register(base, {
        token_endpoint_auth_method: 'private_key_jwt',
        jwks_uri: `https://${hostname()}:${port}/keys`,
      });
      expect(registered.status).toBe(201);
      const { client_id: id } = await registered.json() as { client_id: string };
      const { privateKey } = await generateKeyPair('ES256');
      const response = await redeemWithAssertion(base, id, 'ES256', privateKey);
      expect([ 400, 401 ]).toContain(response.status);
      expect(connections).toBe(0);
    });
  });

  it('no option that needs mail is offered if none can be sent.', async(): Promise<void> => {
    const headers = { accept: 'application/json', 'content-type': 'application/json' };
    const controls = await (await fetch(`${base}.account/`, { headers })).text();
    expect(controls).toContain('/.account/login/password/');
    expect(controls).not.toContain('forgot');
    const url = `${base}.account/login/password/forgot/`;
    const page = await fetch(url, { headers: { accept: 'text/html' }});
    expect([ page.status, page.headers.get('content-type') ]).toEqual([ 404, expect.stringContaining('text/html') ]);
    await expectProblem(await fetch(url, { headers }), 404, 'path-unknown');
    const sent = { method: 'POST', headers, body: JSON.stringify({ email: 'mallory@example.org' }) };
    await expectProblem(await ask('198.51.101.77', url, sent), 404, 'path-unknown');
  });

  it('no WebID inside the network is fetched to link it to an account.', async(): Promise<void> => {
    const account = await createAccount(base, { email: 'linker@example.org', password: 'password of linker' });
    const link = await controlOf(account, 'webId');
    for (let time = 0; time < 2; time += 1) {
      const response = await fetch(link, {
        method: 'POST',
        headers: {
          accept: 'application/json',
          'content-type': 'application/json',
          authorization: account.authorization,
        },
        body: JSON.stringify({ webId: `http://localhost:${port}/group#me` }),
      });
      expect(response.status).toBe(400);
    }
    expect(connections).toBe(0);
  });

  describe('documents on this server are used as before:', (): void => {
    it('contexts.', async(): Promise<void> => {
      await put('public-context', JSON.stringify({ '@context': { is: 'urn:mapped' }}), jsonLd);
      await allow('public-context', `<${acl}agentClass> <http://xmlns.com/foaf/0.1/Agent>`);
      const body = JSON.stringify({ '@context': 'public-context', '@id': '', is: 'this' });
      await put('with-own-context', body, jsonLd);
      await expect((await asTurtle('with-own-context')).text()).resolves.toContain('<urn:mapped> "this"');
    });

    it('groups.', async(): Promise<void> => {
      const member = `<#it> <http://www.w3.org/2006/vcard/ns#hasMember> <${other.webId}> .`;
      await put('group', member);
      await put('for-group', '<> <urn:is> "this" .');
      await allow('for-group', `<${acl}agentGroup> <${mallory.podUrl}group#it>`);
      const url = `${mallory.podUrl}for-group`;
      // The group document is fetched by nobody in particular.
      expect((await other.client.request('GET', url)).status).toBe(403);
      await allow('group', `<${acl}agentClass> <http://xmlns.com/foaf/0.1/Agent>`);
      expect((await other.client.request('GET', url)).status).toBe(200);
      expect((await Client.withBearer().request('GET', url)).status).toBe(401);
    });

    it('WebIDs with proof of ownership, and documents of clients.', async(): Promise<void> => {
      const account = await createAccount(base, { email: 'owner@example.org', password: 'password of owner' });
      const headers = {
        accept: 'application/json',
        'content-type': 'application/json',
        authorization: account.authorization,
      };
      const link = await controlOf(account, 'webId');
      const sent = { method: 'POST', headers, body: JSON.stringify({ webId: `${mallory.podUrl}second#me` }) };
      const asked = await fetch(link, sent);
      const { details: { quad }} = await asked.json() as { details: { quad: string }};
      await put('second', quad);
      await allow('second', `<${acl}agentClass> <http://xmlns.com/foaf/0.1/Agent>`);
      expect((await fetch(link, sent)).status).toBe(200);

      const id = `${mallory.podUrl}app`;
      const redirect = 'https://app.example/';
      const solid = 'http://www.w3.org/ns/solid/oidc#';
      await put('app', `<> <${solid}redirect_uris> <${redirect}> .`);
      await allow('app', `<${acl}agentClass> <http://xmlns.com/foaf/0.1/Agent>`);
      const query = new URLSearchParams({
        client_id: id,
        redirect_uri: redirect,
        response_type: 'code',
        scope: 'openid',
        code_challenge: 'a'.repeat(43),
        code_challenge_method: 'S256',
      });
      const response = await fetch(`${base}.oidc/auth?${query.toString()}`, { redirect: 'manual' });
      expect(response.status).toBe(303);
      expect(response.headers.get('location')).toContain(`${base}.account/`);
    });
  });

  describe('too many requests', (): void => {
    let contractUrl: string;

    beforeAll((): void => {
      contractUrl = `${base}v1/contracts/diploma-employment`;
    });

    it('from one address are refused on all paths, others are not.', async(): Promise<void> => {
      const first = await ask('198.51.101.7', contractUrl);
      expect(first.status).toBe(200);
      expect(first.headers.get('ratelimit-policy')).toBe('"address";q=150;w=60');
      expect(first.headers.get('ratelimit')).toMatch(/^"address";r=149;t=([1-9]|[1-5]\d|60)$/u);
      await withinMinute(async(): Promise<void> => {
        let last = first;
        for (let time = 0; time < 310 && last.status === 200; time += 1) {
          last = await ask('198.51.101.7', contractUrl);
        }
        expect(last.headers.get('ratelimit')).toMatch(/;r=0;/u);
        expect(Number(last.headers.get('retry-after'))).toBeGreaterThan(0);
        expect(last.headers.get('access-control-expose-headers')).toContain('Retry-After');
        await expectProblem(last, 429, 'too-many-requests');
        expect((await ask('198.51.101.7', `${base}mallory/profile/card`)).status).toBe(429);
        expect((await ask('198.51.101.7', contractUrl, { method: 'OPTIONS' })).status).toBe(204);
        expect((await ask('198.51.101.8', contractUrl)).status).toBe(200);
      });
    });

    it('from one caller are refused, whatever the address.', async(): Promise<void> => {
      const url = `${base}v1/data-copies`;
      await withinMinute(async(): Promise<void> => {
        const statuses = new Set<number>();
        for (let time = 0; time < 70 && !statuses.has(429); time += 1) {
          const headers = { 'x-forwarded-for': `198.51.102.${time}` };
          const response = await other.client.request('GET', url, { headers });
          statuses.add(response.status);
          expect(response.headers.get('ratelimit-policy')).toBe('"caller";q=30;w=60');
        }
        expect([ ...statuses ]).toEqual([ 200, 429 ]);
        expect((await mallory.client.request('GET', url)).status).toBe(200);
        // Requests on pods do not bypass it.
        const refused = await other.client.request('GET', other.podUrl);
        expect(refused.headers.get('ratelimit')).toMatch(/^"caller";r=0;t=/u);
        expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0);
        expect(refused.headers.get('content-type')).toBe('application/problem+json');
        await expectProblem(refused, 429, 'too-many-requests');
        const put = await other.client.request('PUT', `${other.podUrl}more`, { headers: turtle, body: '' });
        expect(put.status).toBe(429);
        expect((await ask('198.51.102.99', `${base}other/profile/card`)).status).toBe(200);
      });
    });

    it.each([
      [ 'v1/data-copies', '198.51.101.9' ],
      [ 'other/', '198.51.101.11' ],
    ])('that fail authentication for %s are refused; others from that address are not.', async(path, address):
    Promise<void> => {
      const authorization = 'Bearer nothing';
      let last = await ask(address, base + path, { headers: { authorization }});
      expect(last.status).toBe(401);
      for (let time = 0; time < 90 && last.status === 401; time += 1) {
        last = await ask(address, base + path, { headers: { authorization }});
      }
      await expectProblem(last, 429, 'too-many-failures');
      expect((await ask(address, contractUrl)).status).toBe(200);
    });

    it('with a wrong password are refused after a few.', async(): Promise<void> => {
      const statuses: number[] = [];
      for (let time = 0; time < 6 && !statuses.includes(429); time += 1) {
        const body = JSON.stringify({ email: 'mallory@example.org', password: `guess ${time}` });
        const headers = { 'content-type': 'application/json', accept: 'application/json' };
        const sent = { method: 'POST', headers, body };
        statuses.push((await ask('198.51.101.10', `${base}.account/login/password/`, sent)).status);
      }
      expect(statuses).toContain(403);
      expect(statuses.at(-1)).toBe(429);
    });
  });
});

/** Checks again what failed because a minute began meanwhile: requests are counted anew then. */
async function withinMinute(check: () => Promise<void>): Promise<void> {
  const minute = new Date().getMinutes();
  await check().catch(async(error: unknown): Promise<void> => {
    if (new Date().getMinutes() === minute) {
      throw error;
    }
    await check();
  });
}

async function controlOf({ index, authorization }: Account, name: string): Promise<string> {
  const response = await fetch(index, { headers: { accept: 'application/json', authorization }});
  return (await response.json() as { controls: { account: Record<string, string> }}).controls.account[name];
}

function withContext(context: string): string {
  return JSON.stringify({ '@context': context, '@id': '', 'urn:is': 'this' });
}

let registered = 0;

async function register(base: string, metadata: object): Promise<Response> {
  return fetch(`${base}.oidc/reg`, {
    method: 'POST',
    // Each from another address, because registrations are limited by address.
    headers: { 'content-type': 'application/json', 'x-forwarded-for': `198.51.103.${registered += 1}` },
    body: JSON.stringify({ redirect_uris: [ 'https://app.example/' ], ...metadata }),
  });
}

/** Requests through the proxy that the server trusts. */
async function ask(address: string, url: string, sent: RequestInit = {}): Promise<Response> {
  const headers = { ...sent.headers as Record<string, string>, 'x-forwarded-for': `10.9.9.9, ${address}` };
  return fetch(url, { ...sent, headers });
}
