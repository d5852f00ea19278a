import { request } from 'node:http';
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
});
