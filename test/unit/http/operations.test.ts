import { Readable } from 'node:stream';
import type { CallContext } from '../../../src/audit/CallContext';
import type { StatusListDocument } from '../../../src/credentials/StatusLists';
import { BuildingGone, WebIdNotFound } from '../../../src/problems';
import type { PodResource } from '../../../src/platform/PodResource';
import type { CallOptions, Reply, RunningApi } from './server';
import { baseUrl, correlationId, startApi, webId } from './server';

const authorization = 'Bearer token';
const context: CallContext = { correlationId, app: 'app-1' };
const artefacts = new Set([ '/v1/ns/core', '/v1/data-types/diploma/2024-05-22', '/v1/purposes/a b' ]);
const artefact = [
  { contentType: 'text/turtle', body: Buffer.from('<a> <b> <c> .'), etag: '"t"' },
  { contentType: 'application/ld+json', body: Buffer.from('{}'), etag: '"j"' },
];
const podUrl = `${baseUrl}pod-1/`;
const citizen = { id: 'pod-1', webId };

describe('The operations', (): void => {
  let running: RunningApi;
  const asked: unknown[][] = [];
  let isNew = true;
  let isThere = true;

  /** A service method that records its arguments. */
  function answering<T>(answer: () => T): (...input: unknown[]) => Promise<T> {
    return async(...input): Promise<T> => {
      asked.push(input);
      return answer();
    };
  }

  beforeAll(async(): Promise<void> => {
    running = await startApi({
      webIds: {
        get: answering((): never => {
          if (!isThere) {
            throw new WebIdNotFound();
          }
          return { podUrl, webId } as never;
        }),
        create: answering((): never => ({ podUrl, webId, created: isNew }) as never),
        delete: answering((): string => webId),
      },
      citizens: { getByWebId: async(): Promise<never> => citizen as never },
      contracts: {
        get: (id): never => ({ document: { '@id': `${baseUrl}v1/contracts/${id}`, accessMode: 'READ' }}) as never,
      },
      personalData: {
        list: answering((): never => [{ id: 'v1', type: 'https://t.example/', summary: null }] as never),
      },
      sharing: { share: answering((): never => [{ podResource: 'r', accessGrant: 'g', internal: 'x' }] as never) },
      resources: {
        read: answering((): PodResource => oneByte('a')),
        readInPod: answering((): PodResource => oneByte('b')),
      },
      podListing: { list: answering((): never => ({ podId: 'p', resources: [], next: 'cursor+1' }) as never) },
      grants: {
        revoke: answering((): never => ({ id: 'g', status: 'REVOKED' }) as never),
        getDocument: answering((): string => '{ "id" : "as issued" }'),
      },
      buildings: {
        get: async(path): Promise<never> => {
          if (path === 'gone') {
            throw new BuildingGone();
          }
          return { bytes: Buffer.from(`{"path":"${path}"}`), contentType: 'application/geo+json' } as never;
        },
      },
      businessKeys: { verify: answering((): boolean => false) },
      dataCopies: {
        report: answering((): never => ({ entry: { id: 'c' }, created: isNew }) as never),
        remove: answering((): never => ({ id: 'c', status: 'DELETED' }) as never),
        list: answering((): never => ({ entries: [{ id: 'c' }]}) as never),
      },
      artefacts: {
        find: (path): never => (artefacts.has(path) ? artefact : undefined) as never,
      },
      keyDocuments: new Map([
        [ '/.access/', { id: 'grants' }],
        [ '/.access/keys', { id: 'grants' }],
        [ '/v1/issuer', { id: 'credentials' }],
      ]),
      statusLists: {
        find: async(kind, id): Promise<StatusListDocument | undefined> =>
          id === '1' ? { text: `{"kind":"${kind}"}`, modified: new Date(0) } : undefined,
      },
    });
  });

  beforeEach((): void => {
    asked.length = 0;
    isNew = true;
    isThere = true;
  });

  afterAll(async(): Promise<void> => running.stop());

  async function call(method: string, path: string, more: CallOptions = {}): Promise<Reply> {
    const headers = { authorization, 'x-correlation-id': correlationId, ...more.headers };
    return running.call(method, path, { ...more, headers });
  }

  it('get, create and delete a WebID.', async(): Promise<void> => {
    for (const [ method, status ] of [[ 'GET', 200 ], [ 'PUT', 201 ], [ 'DELETE', 200 ]] as const) {
      const reply = await call(method, '/v1/webids');
      expect(reply.status).toBe(status);
      expect(reply.json()).toEqual({ uri: webId });
      expect(reply.headers).toMatchObject({
        'content-type': 'application/json',
        'content-length': String(reply.text.length),
        'cache-control': 'private, no-cache',
        vary: 'Authorization, DPoP, X-Access-Grant, Origin',
      });
    }
    isNew = false;
    await expect(call('PUT', '/v1/webids')).resolves.toMatchObject({
      status: 200,
      headers: { link: `<${podUrl}>; rel="http://www.w3.org/ns/pim/space#storage"` },
    });
    expect(asked[0]).toEqual([ expect.objectContaining({ webId }), context ]);
  });

  it.each<[string, Record<string, string>]>([
    [ 'DELETE', { 'if-match': '"v1"' }],
    [ 'DELETE', { 'if-match': 'W/"v1", "v2"' }],
    [ 'DELETE', { 'if-none-match': '*' }],
    [ 'PUT', { 'if-match': '"v1"' }],
    [ 'PUT', { 'if-none-match': ' * ' }],
  ])('change nothing if a condition does not hold: %s, %j.', async(method, headers): Promise<void> => {
    isNew = false;
    const reply = await call(method, '/v1/webids', { headers });
    expect(reply.json()).toMatchObject({ status: 412, type: `${baseUrl}v1/problems/precondition-failed` });
    // Reading it changes nothing.
    expect(asked).toHaveLength(method === 'PUT' && 'if-none-match' in headers ? 1 : 0);
  });

  it.each([
    [ 'DELETE', { 'if-match': '*' }],
    [ 'DELETE', { 'if-none-match': '"v1"', 'if-unmodified-since': 'Sat, 29 Oct 1994 19:43:31 GMT' }],
    [ 'PUT', { 'if-match': '*' }],
    [ 'PUT', { 'if-none-match': '"v1"', 'if-modified-since': 'Sat, 29 Oct 1994 19:43:31 GMT' }],
  ])('change something if all conditions hold: %s, %j.', async(method, headers): Promise<void> => {
    isNew = false;
    await expect(call(method, '/v1/webids', { headers })).resolves.toMatchObject({ status: 200 });
  });

  it('create a WebID only for conditions that allow it.', async(): Promise<void> => {
    isThere = false;
    const headers = { 'if-none-match': '*' };
    await expect(call('PUT', '/v1/webids', { headers })).resolves.toMatchObject({ status: 201 });
    asked.length = 0;
    await expect(call('PUT', '/v1/webids', { headers: { 'if-match': '*' }})).resolves.toMatchObject({ status: 412 });
    expect(asked).toHaveLength(1);
    // Another request was faster.
    isNew = false;
    await expect(call('PUT', '/v1/webids', { headers })).resolves.toMatchObject({ status: 412 });
  });

  it('read a contract as JSON-LD, again only if it changed.', async(): Promise<void> => {
    const { headers, json } = await running.call('GET', '/v1/contracts/c1');
    expect(json()).toEqual({ '@id': `${baseUrl}v1/contracts/c1`, accessMode: 'READ' });
    expect(headers['content-type']).toBe('application/ld+json');
    const again = await running.call('GET', '/v1/contracts/c1', { headers: { 'if-none-match': headers.etag }});
    expect(again.status).toBe(304);
  });

  it('list the data under a contract, and share it.', async(): Promise<void> => {
    const listed = await call('GET', '/v1/contracts/c1/data');
    expect(listed.json()).toEqual({ dataValues: [{ id: 'v1', type: 'https://t.example/', summary: null }]});
    const shared = await call('POST', '/v1/contracts/c1/data', { body: [ 'v1' ]});
    expect(shared.json()).toEqual([{ podResource: 'r', accessGrant: 'g' }]);
    expect(asked).toEqual([[ citizen, 'c1', context ], [ citizen, 'c1', [ 'v1' ], context ]]);
  });

  it('read a resource with a grant, verified on request.', async(): Promise<void> => {
    const headers = { 'x-access-grant': 'https://g.example/1' };
    for (const [ query, verified ] of [[ '', false ], [ '&verified=false', false ], [ '&verified=true', true ]]) {
      const reply = await call('GET', `/v1/resources?resource=https%3A%2F%2Fr.example%2F${query}`, { headers });
      expect(reply).toMatchObject({ status: 200, text: 'a' });
      expect(asked.pop()).toEqual([
        { resource: 'https://r.example/', accessGrant: 'https://g.example/1', verified },
        webId,
        context,
      ]);
    }
  });

  it.each([
    [ '/v1/resources?resource=r', {}, 'access-grant-invalid' ],
    [ '/v1/resources?resource=r', { 'x-access-grant': '' }, 'access-grant-invalid' ],
    [ '/v1/resources', { 'x-access-grant': 'g' }, 'parameter-invalid' ],
    [ '/v1/resources?resource=', { 'x-access-grant': 'g' }, 'parameter-invalid' ],
    [ '/v1/resources?resource=r&verified=yes', { 'x-access-grant': 'g' }, 'parameter-invalid' ],
    [ '/v1/resources?resource=r&verified=', { 'x-access-grant': 'g' }, 'parameter-invalid' ],
    [ '/v1/resources?resource=r&verified=true&verified=true', { 'x-access-grant': 'g' }, 'parameter-invalid' ],
    [ '/v1/pods/p/resources?limit=0', {}, 'parameter-invalid' ],
    [ '/v1/pods/p/resources?limit=201', {}, 'parameter-invalid' ],
    [ '/v1/pods/p/resources?limit=1.5', {}, 'parameter-invalid' ],
    [ '/v1/pods/p/resources?limit=-1', {}, 'parameter-invalid' ],
    [ '/v1/pods/p/resources?type=none', {}, 'parameter-invalid' ],
    [ '/v1/data-copies?status=LOST', {}, 'parameter-invalid' ],
  ])('refuse %s with %j.', async(path, headers, type): Promise<void> => {
    const reply = await call('GET', path, { headers });
    expect(reply.json()).toMatchObject({ status: 400, type: `${baseUrl}v1/problems/${type}` });
    expect(asked).toHaveLength(0);
  });

  it.each([
    [ '/v1/pods/p/resources?limit=-1', 'limit must be >= 1.' ],
    [ '/v1/pods/p/resources?limit=1.5', 'limit must be integer.' ],
    [ '/v1/pods/p/resources?limit=', 'limit must be integer.' ],
    [ '/v1/pods/p/resources?limit=1000000000', 'limit must be <= 200.' ],
  ])('say what is wrong in %s, whatever was wrong in the request before.', async(path, detail): Promise<void> => {
    await call('GET', '/v1/pods/p/resources?limit=201');
    expect((await call('GET', path)).json()).toMatchObject({ status: 400, detail });
  });

  it('read a shared resource by pod and id.', async(): Promise<void> => {
    await expect(call('GET', '/v1/pods/p1/resources/r%201?verified=true')).resolves.toMatchObject({ text: 'b' });
    expect(asked).toEqual([[{ podId: 'p1', resourceId: 'r 1', verified: true }, webId, context ]]);
  });

  it('list a pod in pages whose next is a URL of this server.', async(): Promise<void> => {
    const reply = await call('GET', '/v1/pods/p1/resources?type=https://t.example/&limit=200&cursor=c');
    const request = { podId: 'p1', type: 'https://t.example/', all: undefined, limit: 200, cursor: 'c' };
    expect(asked).toEqual([[ request, webId, context ]]);
    const { next, ...rest } = reply.json() as { next: string };
    expect(rest).toEqual({ podId: 'p1', resources: []});
    expect(new URL(next).origin).toBe('https://pods.example');
    const query = { type: 'https://t.example/', limit: '200', cursor: 'cursor+1' };
    expect(Object.fromEntries(new URL(next).searchParams)).toEqual(query);
  });

  it('revoke a grant.', async(): Promise<void> => {
    const reply = await call('DELETE', '/v1/pods/p1/resources/r1/access-grants/g1');
    expect(reply.json()).toEqual({ id: 'g', status: 'REVOKED' });
    expect(asked).toEqual([[{ podId: 'p1', resourceId: 'r1', grantId: 'g1' }, webId, context ]]);
  });

  it.each([
    [ '/v1/gebouwen', '' ],
    [ '/v1/gebouwen/', '' ],
    [ '/v1/gebouwen/a', 'a' ],
    [ '/v1/gebouwen/a/b%20c', 'a/b c' ],
  ])(
    'read the building register at %s, without a token.',
    async(path, expected): Promise<void> => {
      const reply = await running.call('GET', path);
      expect(reply.json()).toEqual({ path: expected });
      expect(reply.headers).toMatchObject({
        'content-type': 'application/geo+json',
        'x-content-type-options': 'nosniff',
        'content-security-policy': `sandbox; default-src 'none'`,
      });
    },
  );

  it('pass on 410 from the building register.', async(): Promise<void> => {
    await expect(running.call('GET', '/v1/gebouwen/gone')).resolves.toMatchObject({ status: 410 });
  });

  it('verify a business key.', async(): Promise<void> => {
    const body = { businessKey: { type: 'NATIONAL_NUMBER_BE', value: '85.07.30-033.28' }, accessGrantVc: '{}' };
    const reply = await call('POST', '/v1/verifications/business-key', { body });
    expect(reply.json()).toEqual({ valid: false });
    expect(asked).toEqual([[ body, webId, context ]]);
    const other = { ...body, businessKey: { ...body.businessKey, type: 'PASSPORT' }};
    const refused = await call('POST', '/v1/verifications/business-key', { body: other });
    expect(refused.status).toBe(400);
  });

  it('report, remove and list data copies.', async(): Promise<void> => {
    const storedAt = '2026-01-01T00:00:00Z';
    const report = { resource: 'https://r.example/', accessGrant: 'https://g.example/', storedAt };
    const reported = await call('POST', '/v1/data-copies', { body: report });
    expect(reported).toMatchObject({ status: 201, text: '{"id":"c"}' });
    isNew = false;
    await expect(call('POST', '/v1/data-copies', { body: report })).resolves.toMatchObject({ status: 200 });
    expect(asked[0]).toEqual([ report, webId, context ]);

    const deletion = { resource: 'https://r.example/', reason: 'NO_LONGER_NEEDED' };
    await call('DELETE', '/v1/data-copies', { body: deletion });
    expect(asked[2]).toEqual([ deletion, webId, context ]);
    await call('DELETE', '/v1/data-copies?resource=https://r.example/');
    expect(asked[3][0]).toMatchObject({ resource: 'https://r.example/' });

    const list = await call('GET', '/v1/data-copies?status=DELETION_DUE');
    expect(list.json()).toEqual({ dataCopies: [{ id: 'c' }], next: null });
    expect(asked[4]).toEqual([{ status: 'DELETION_DUE', limit: 50, cursor: undefined }, webId ]);
  });

  it('report and remove copies of every readable resource, however long its URI is.', async(): Promise<void> => {
    const resource = `https://r.example/${'a/'.repeat(2000)}`;
    await call('GET', `/v1/resources?resource=${resource}`, { headers: { 'x-access-grant': 'https://g.example/' }});
    await call('POST', '/v1/data-copies', { body: { resource, accessGrant: 'https://g.example/' }});
    await call('DELETE', '/v1/data-copies', { body: { resource }});
    await call('DELETE', `/v1/data-copies?resource=${resource}`);
    expect(asked.slice(-3).map(([ given ]): unknown => (given as { resource: string }).resource))
      .toEqual([ resource, resource, resource ]);
  });

  it.each([
    [ 'storedAt', 'yesterday' ],
    [ 'purpose', 'none' ],
    [ 'system', '' ],
    [ 'accessGrant', 1 ],
  ])('refuse a report of a copy with a malformed %s.', async(member, value): Promise<void> => {
    const body = { resource: 'https://r.example/', accessGrant: 'https://g.example/', [member]: value };
    await expect(call('POST', '/v1/data-copies', { body })).resolves.toMatchObject({ status: 400 });
    expect(asked).toHaveLength(0);
  });

  it.each([
    [ undefined, 'text/turtle' ],
    [ '*/*', 'text/turtle' ],
    [ 'text/html,application/xhtml+xml,*/*;q=0.8', 'text/turtle' ],
    [ 'application/ld+json', 'application/ld+json' ],
    [ 'text/turtle;q=0.3, application/ld+json', 'application/ld+json' ],
    [ 'application/*', 'application/ld+json' ],
    [ 'application/json', 'application/ld+json' ],
    [ 'text/turtle;q=0, */*', 'application/ld+json' ],
  ])('publish linked data for Accept %s as: %s.', async(accept, expected): Promise<void> => {
    const reply = await running.call('GET', '/v1/ns/core', { headers: accept ? { accept } : {}});
    const etag = expected === 'text/turtle' ? '"t"' : '"j"';
    expect(reply.headers).toMatchObject({ 'content-type': expected, vary: 'Accept, Origin', etag });
    expect(reply.headers['cache-control']).toMatch(/^public, max-age=\d+$/u);
  });

  it('return 406 if no form of linked data is accepted.', async(): Promise<void> => {
    const { status } = await running.call('GET', '/v1/ns/core', { headers: { accept: 'image/png' }});
    expect(status).toBe(406);
  });

  it.each([
    [ '/v1/data-types/diploma/2024-05-22', 200 ],
    [ '/v1/data-types/none', 404 ],
    [ '/v1/purposes/a%20b', 200 ],
    [ '/v1/contexts/contract/2024-10-08', 404 ],
  ])('find linked data at %s: %i.', async(path, status): Promise<void> => {
    await expect(running.call('GET', path)).resolves.toMatchObject({ status });
  });

  it.each([
    [ '/.access/', 'grants' ],
    [ '/.access/keys', 'grants' ],
    [ '/v1/issuer', 'credentials' ],
  ])('publish the keys of an issuer at %s.', async(path, id): Promise<void> => {
    const reply = await running.call('GET', path);
    expect(reply.json()).toEqual({ id });
    expect(reply.headers['content-type']).toBe('application/ld+json');
  });

  it('publish status lists, cacheable for a minute.', async(): Promise<void> => {
    const lists = [ await running.call('GET', '/.access/status/1'), await running.call('GET', '/v1/status/1') ];
    expect(lists.map(({ json }): unknown => json())).toEqual([{ kind: 'grants' }, { kind: 'credentials' }]);
    expect(lists[0].headers['cache-control']).toBe('public, max-age=60');
    await expect(running.call('GET', '/v1/status/2')).resolves.toMatchObject({ status: 404 });
  });

  it('return a grant to its parties byte for byte, and ask strangers for a token.', async(): Promise<void> => {
    const reply = await call('GET', '/.access/vc/g1');
    expect(reply).toMatchObject({ status: 200, text: '{ "id" : "as issued" }' });
    expect(asked).toEqual([[ 'g1', webId, context ]]);
    const stranger = await running.call('GET', '/.access/vc/g1');
    expect(stranger).toMatchObject({ status: 401, headers: { 'content-type': 'application/problem+json' }});
  });
});

function oneByte(text: string): PodResource {
  return { contentType: 'text/plain', etag: '"1"', modified: new Date(0), size: 1, body: Readable.from([ text ]) };
}
