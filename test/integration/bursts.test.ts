import { generateKeyPairSync } from 'node:crypto';
import { request } from 'node:http';
import { answerJson, startLoopback } from '../support/loopback';
import { redeemWithAssertion } from '../support/redeemWithAssertion';
import type { AccountHolder, TestServer } from '../support/world';
import { accountWithPod, startServer } from '../support/world';

const turtle = { 'content-type': 'text/turtle' };
const triple = '<urn:a> <urn:b> 1 .';

interface Question {
  method?: string;
  body?: string;
}

/** Counts the statuses of many responses. */
type Tally = Record<number, number>;

/** Sends a request on a new connection. Rejects without a response, or for a 503 without Retry-After. */
async function ask(url: string, { method = 'GET', body }: Question = {}): Promise<number> {
  return new Promise((resolve, reject): void => {
    const headers = body === undefined ? {} : { ...turtle, 'content-length': Buffer.byteLength(body) };
    request(url, { method, headers, agent: false, timeout: 60_000 }, (response): void => {
      if (response.statusCode === 503 && !response.headers['retry-after']) {
        reject(new Error('no Retry-After'));
      }
      response.resume().on('end', (): void => resolve(response.statusCode!)).on('error', reject);
    })
      .on('timeout', (): void => reject(new Error('no answer')))
      .on('error', reject)
      .end(body);
  });
}

function expectOnly(tally: Tally, statuses: number[]): void {
  expect(Object.keys(tally).filter((status): boolean => !statuses.includes(Number(status)))).toEqual([]);
}

/** Sends all at once. */
async function burst(count: number, one: (index: number) => [ url: string, question?: Question ]): Promise<Tally> {
  const tally: Tally = {};
  await Promise.all(Array.from({ length: count }, async(_none, index): Promise<void> => {
    const status = await ask(...one(index));
    tally[status] = (tally[status] ?? 0) + 1;
  }));
  return tally;
}

/** Returns the status, and fails when it takes longer than a busy machine does. */
async function inTime(work: () => Promise<{ status: number }>): Promise<number> {
  const begun = performance.now();
  const { status } = await work();
  expect(performance.now() - begun).toBeLessThan(15_000);
  return status;
}

/** Metadata that mean nothing. */
function values(count: number): object {
  return { unknown: Array.from({ length: count }, (): object => ({})) };
}

describe('In bursts, a server', (): void => {
  let server: TestServer;
  let base: string;
  let alice: AccountHolder;
  let profile: string;

  beforeAll(async(): Promise<void> => {
    server = await startServer();
    ({ base } = server);
    alice = await accountWithPod(base, 'alice');
    profile = `${alice.podUrl}profile/card`;
  });

  afterAll(async(): Promise<void> => {
    await server.stop();
  });

  async function expectToWork(url: string): Promise<void> {
    await expect(ask(url)).resolves.toBe(200);
    const written = await alice.client.request('PATCH', url, {
      headers: { 'content-type': 'application/sparql-update' },
      body: 'INSERT DATA { <urn:a> <urn:b> <urn:c> }',
    });
    expect(written.status).toBe(205);
    const put = await alice.client.request('PUT', `${url}-beside`, { headers: turtle, body: triple });
    expect([ 201, 205 ]).toContain(put.status);
  }

  it('answers 1,200 anonymous requests for one profile, and continues.', async(): Promise<void> => {
    const tally = await burst(1200, (): [ string ] => [ profile ]);
    expectOnly(tally, [ 200, 503 ]);
    expect(tally[200]).toBeGreaterThan(500);
    await expectToWork(profile);
  });

  it('answers 1,200 anonymous requests for a private resource, read or written.', async(): Promise<void> => {
    const methods = [ 'GET', 'HEAD', 'PUT', 'PATCH', 'DELETE', 'POST' ];
    const tally = await burst(1200, (index): [ string, Question ] => {
      const method = methods[index % methods.length];
      return [ alice.podUrl, { method, body: method.startsWith('P') ? triple : undefined }];
    });
    expectOnly(tally, [ 401, 415, 503 ]);
    await expectToWork(profile);
  });

  it('answers 1,200 reads and writes of a public resource, with 503 at worst.', async(): Promise<void> => {
    const url = `${alice.podUrl}board`;
    await alice.client.request('PUT', url, { headers: turtle, body: triple });
    await alice.client.request('PUT', `${url}.acl`, {
      headers: turtle,
      body: `@prefix acl: <http://www.w3.org/ns/auth/acl#>. @prefix foaf: <http://xmlns.com/foaf/0.1/>.
        <#owner> a acl:Authorization; acl:agent <${alice.webId}>; acl:accessTo <board>;
          acl:mode acl:Read, acl:Write, acl:Control .
        <#all> a acl:Authorization; acl:agentClass foaf:Agent; acl:accessTo <board>; acl:mode acl:Read, acl:Write .`,
    });
    const tally = await burst(1200, (index): [ string, Question? ] => index % 2 === 0 ?
        [ url, { method: 'PUT', body: triple }] :
        [ url ]);
    expectOnly(tally, [ 200, 205, 503 ]);
    await expectToWork(url);
  });

  it.each([ 'PUT', 'POST' ])('is not held up by a body that trickles in (%s).', async(method): Promise<void> => {
    const url = method === 'PUT' ? `${alice.podUrl}trickled` : `${alice.podUrl}trickles/`;
    expect((await alice.client.request('PUT', url, { headers: turtle, body: triple })).status).toBe(201);
    const headers = { ...await alice.client.authentication(method, url), ...turtle };
    const slow = request(url, { method, headers });
    const slowStatus = new Promise<number>((resolve, reject): void => {
      slow.on('response', (response): void => resolve(response.resume().statusCode!)).on('error', reject);
    });
    await new Promise((resolve): unknown => slow.write(`# ${'x'.repeat(200_000)}\n`, resolve));
    for (let count = 0; count < 5; count += 1) {
      const { status } = await alice.client.request(method, url, { headers: turtle, body: triple });
      expect(status).toBe(method === 'PUT' ? 205 : 201);
      await new Promise((resolve): unknown => slow.write(`# ${count}\n`, resolve));
    }
    expect((await alice.client.request('GET', url)).status).toBe(200);
    slow.end('<urn:slow> <urn:b> 1 .');
    await expect(slowStatus).resolves.toBe(method === 'PUT' ? 205 : 201);
  });

  describe('is not held up for long by a client of its identity provider', (): void => {
    const redirectUri = 'https://app.example/';

    async function register(metadata: object): Promise<Response> {
      return fetch(`${base}.oidc/reg`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ redirect_uris: [ redirectUri ], ...metadata }),
      });
    }

    it('whose document has very many values.', async(): Promise<void> => {
      const others = await startLoopback((asked, response): void => answerJson(response, 200, {
        '@context': 'https://www.w3.org/ns/solid/oidc-context.jsonld',
        client_id: `http://${asked.headers.host}${asked.url}`,
        redirect_uris: [ redirectUri ],
        ...values(asked.url === '/many' ? 150_000 : 1000),
      }, 'application/ld+json'));
      async function logIn(name: string): Promise<Response> {
        const query = new URLSearchParams({
          client_id: others.url + name,
          redirect_uri: redirectUri,
          response_type: 'code',
          scope: 'openid',
          code_challenge: 'x'.repeat(43),
          code_challenge_method: 'S256',
        });
        return fetch(`${base}.oidc/auth?${query.toString()}`, { redirect: 'manual' });
      }
      await expect(inTime(async(): Promise<Response> => logIn('/many'))).resolves.toBe(400);
      await expect(inTime(async(): Promise<Response> => logIn('/few'))).resolves.toBe(303);
      await others.stop();
    }, 300_000);

    it('whose registration has very many values.', async(): Promise<void> => {
      expect((await register(values(1000))).status).toBe(201);
      expect((await register(values(18_000))).status).toBe(400);
    });

    it('whose key has a very long number.', async(): Promise<void> => {
      const { privateKey, publicKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
      const key = publicKey.export({ format: 'jwk' });
      const others = await startLoopback((_asked, response): void =>
        answerJson(response, 200, { keys: [{ ...key, e: 'B'.repeat(900_000) }]}));
      const jwks = { token_endpoint_auth_method: 'private_key_jwt', jwks_uri: `${others.url}/keys` };
      const registered = await register(jwks);
      expect(registered.status).toBe(201);
      const { client_id: id } = await registered.json() as { client_id: string };
      await expect(inTime(async(): Promise<Response> => redeemWithAssertion(base, id, 'RS256', privateKey))).resolves
        .toBe(401);
      await others.stop();
    }, 300_000);
  });
});
