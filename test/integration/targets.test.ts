import { mkdir, symlink } from 'node:fs/promises';
import { join } from 'node:path';
import { createAccount } from '../../demo/lib/accounts';
import { expectProblem } from '../support/callers';
import { rawRequest } from '../support/rawRequest';
import { json } from '../support/sharingWorld';
import { isOnPostgres } from '../support/storage';
import type { AccountHolder, TestServer } from '../support/world';
import { accountWithPod, Client, startServer } from '../support/world';

const turtle = { 'content-type': 'text/turtle' };
const container = '<http://www.w3.org/ns/ldp#BasicContainer>; rel="type"';
const sparql = { 'content-type': 'application/sparql-update' };
const uuid = /^[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}$/u;

/** The request with each method. */
const requests: [string, object][] = [
  [ 'GET', {}],
  [ 'HEAD', {}],
  [ 'PUT', { headers: turtle, body: '' }],
  [ 'POST', { headers: turtle, body: '' }],
  [ 'PATCH', { headers: sparql, body: 'INSERT DATA { <urn:a> <urn:b> <urn:c> }' }],
  [ 'DELETE', {}],
];

/** Spellings of a path that the server reads as that path. */
function spellings(path: string): string[] {
  const escape = `%${path.codePointAt(1)!.toString(16)}`;
  return [
    `/${escape}${path.slice(2)}`,
    `/${escape.toUpperCase()}${path.slice(2)}`,
    `/${path}`,
    `//${path}`,
    `/x/..${path}`,
    `/.${path}`,
    `/../..${path}`,
    `/x/y/../..${path}`,
    `/.${path.replaceAll('/', '//')}`,
    `${path}?query`,
    path.replace('o', '%6f'),
    `http://HOST${path}`,
    `http://HOST/x/..${path}`,
  ];
}

describe('A request target', (): void => {
  let server: TestServer;
  let base: string;
  let host: string;
  let owner: AccountHolder;
  let stranger: AccountHolder;

  beforeAll(async(): Promise<void> => {
    server = await startServer({ flags: { trustedProxies: '127.0.0.1, ::1', rateLimitFailures: '40' }});
    ({ base } = server);
    ({ host } = new URL(base));
    owner = await accountWithPod(base, 'owner');
    stranger = await accountWithPod(base, 'stranger');
  });

  afterAll(async(): Promise<void> => {
    await server.stop();
  });

  function callers(): [string, Client][] {
    return [[ 'nobody', Client.withBearer() ], [ 'stranger', stranger.client ], [ 'owner', owner.client ]];
  }

  it('of the log-in counts wrong passwords in each spelling.', async(): Promise<void> => {
    const path = '/.account/login/password/';
    const body = JSON.stringify({ email: 'owner@example.org', password: 'wrong' });
    async function guess(address: string, target: string): Promise<number> {
      const headers = { 'content-type': 'application/json', accept: 'application/json', 'x-forwarded-for': address };
      return (await rawRequest(base, 'POST', target.replace('HOST', host), { headers, body })).status;
    }
    for (const [ index, target ] of spellings(path).entries()) {
      const statuses: number[] = [];
      while (statuses.length < 8 && statuses.at(-1) !== 429) {
        statuses.push(await guess(`198.51.100.${index}`, target));
      }
      expect([ target, statuses[0], statuses.at(-1) ]).toEqual([ target, 403, 429 ]);
    }
    const escaped = [ '/.account%2flogin/password/', `/a/%2e%2e${path}`, '/%2faccount' ];
    for (const target of [ ...escaped, '/.account\\login\\password\\' ]) {
      await expect(guess('198.51.101.1', target)).resolves.toBe(400);
    }
  });

  it('on our paths does not reach the pods in any spelling.', async(): Promise<void> => {
    for (const path of [ '/v1/none', '/.access/none', '/.uma/no', '/.health/none/o' ]) {
      for (const target of spellings(path)) {
        const { status, text } = await rawRequest(base, 'GET', target.replace('HOST', host));
        expect([ target, status, JSON.parse(text) ])
          .toEqual([ target, 404, expect.objectContaining({ type: `${base}v1/problems/path-unknown` }) ]);
      }
    }
    const { status, text } = await rawRequest(base, 'GET', '/x/../.health/live');
    expect([ status, text ]).toEqual([ 200, '{"status":"ok"}' ]);
  });

  it('that is malformed is refused, by a problem on our paths, by the server elsewhere.', async(): Promise<void> => {
    const origin = 'https://app.example';
    const slashes = [ 'a%2Fb', 'a%5cb', 'a\\b' ];
    const dots = [ '%2e%2e/b', '%2e', '.%2E/b', '%c0%ae%c0%ae/b' ];
    const others = [ '%00', '%', '%ff', 'a%0d%0ab', 'a#b', 'a?b#c', '%C2%80' ];
    for (const name of [ ...slashes, ...dots, ...others ]) {
      for (const [ method ] of requests) {
        const headers = { origin, accept: 'application/json' };
        const own = await rawRequest(base, method, `/v1/${name}`, { headers });
        const other = await rawRequest(base, method, `/owner/${name}`, { headers });
        expect([ method, name, own.status, other.status ]).toEqual([ method, name, 400, 400 ]);
        for (const answer of [ own, other ]) {
          expect(answer.headers.get('x-correlation-id')).toMatch(uuid);
          expect(answer.headers.get('access-control-allow-origin')).toBe(origin);
        }
        const expected = method === 'HEAD' ? [ '', '' ] : [ '"type":"about:blank"', '"name":"BadRequestHttpError"' ];
        expect([ own.text, other.text ]).toEqual(expected.map((text): unknown => expect.stringContaining(text)));
      }
    }
    const { status } = await rawRequest(base, 'OPTIONS', '*');
    expect(status).toBe(204);
  });

  it.each([
    'a b.ttl',
    'caf\u00E9',
    'a+b',
    '~a',
    '$a',
    '(1)',
    'a:b',
    'a;b,c=d&e@f',
    'quote\'s!',
    '100%',
    '%2e',
    '%2f',
    '\u{1F600}',
    '"<>[]^`{|}',
    'a?b#c*',
    '...',
  ])('can contain names with %j, in each encoding.', async(name): Promise<void> => {
    const url = `${owner.podUrl}names/${encodeURIComponent(name)}`;
    expect((await owner.client.request('PUT', url, { headers: turtle, body: `<> <urn:is> "${name.length}" .` })).status)
      .toBe(201);
    const least = owner.podUrl + encodeURI(`names/${name}`).replaceAll('#', '%23').replaceAll('?', '%3F');
    const most = `${owner.podUrl}names/${[ ...Buffer.from(name) ]
      .map((byte): string => `%${byte.toString(16)}`).join('')}`;
    for (const spelling of [ url, least, ...name.includes('.') ? [] : [ most ] ]) {
      const response = await owner.client.request('GET', spelling);
      expect([ spelling, response.status ]).toEqual([ spelling, 200 ]);
      await expect(response.text()).resolves.toContain(`"${name.length}"`);
    }
    expect((await owner.client.request('DELETE', url)).status).toBe(205);
  });

  it('is not removed when it is the root of a storage: 405 for its owner.', async(): Promise<void> => {
    const [ nobody, , mine ] = callers().map(([ , client ]): Client => client);
    const inner = `${owner.podUrl}inner/`;
    const rules = `@prefix acl: <http://www.w3.org/ns/auth/acl#>.
<#o> a acl:Authorization; acl:agent <${owner.webId}>; acl:accessTo <./>; acl:mode acl:Read, acl:Write, acl:Control.
<#s> a acl:Authorization; acl:agent <${stranger.webId}>; acl:accessTo <./>; acl:mode acl:Read, acl:Write.`;
    expect((await mine.request('PUT', inner)).status).toBe(201);
    expect((await mine.request('PUT', `${inner}.acl`, { headers: turtle, body: rules })).status).toBe(201);
    async function remove(client: Client, url: string): Promise<[number, string | null]> {
      const { headers, status } = await client.request('DELETE', url);
      return [ status, headers.get('allow') ];
    }
    await expect(remove(mine, owner.podUrl)).resolves.toEqual([ 405, 'OPTIONS, HEAD, GET, POST, PUT' ]);
    await expect(remove(mine, `${owner.podUrl}.acl`)).resolves.toEqual([ 405, expect.not.stringContaining('DELETE') ]);
    for (const [ url, isRoot ] of [[ owner.podUrl, true ], [ inner, false ]] as const) {
      const { headers } = await mine.request('HEAD', `${url}.acl`);
      expect([ url, headers.get('allow')!.includes('DELETE') ]).toEqual([ url, !isRoot ]);
    }
    await expect(remove(nobody, owner.podUrl)).resolves.toEqual([ 401, null ]);
    await expect(remove(stranger.client, owner.podUrl)).resolves.toEqual([ 403, null ]);
    await expect(remove(mine, `${base}none/`)).resolves.toEqual([ 403, null ]);
    await expect(remove(mine, base)).resolves.toEqual([ 403, null ]);
    // The container around another one decides, too.
    await expect(remove(stranger.client, inner)).resolves.toEqual([ 403, null ]);
    await expect(remove(mine, inner)).resolves.toEqual([ 205, null ]);
  });

  it('has at most 64 segments, 2,048 bytes, and 255 in each name.', async(): Promise<void> => {
    const deep = [ 'a/'.repeat(64), `${'a/'.repeat(400)}f`, `${'b'.repeat(200)}/`.repeat(11), ':'.repeat(700) ];
    const long = [ ...deep, 'a'.repeat(256), `${'\u00E9'.repeat(128)}/f`, 'c'.repeat(3000) ];
    const before = await server.stored.podPaths();
    for (const [ who, client ] of callers()) {
      for (const [ method, sent ] of requests) {
        for (const path of long) {
          const { status } = await client.request(method, owner.podUrl + path, sent);
          expect([ who, method, path.slice(0, 10), status ]).toEqual([ who, method, path.slice(0, 10), 414 ]);
        }
      }
    }
    await expect(server.stored.podPaths()).resolves.toEqual(before);
    await expectProblem(await fetch(`${base}v1${'/a'.repeat(64)}`), 414, 'path-too-long');
    await expectProblem(await fetch(`${base}.access/vc/${'a'.repeat(2048)}`), 414, 'path-too-long');
    const refused = await fetch(`${base}owner/${'a/'.repeat(64)}`, { headers: { accept: 'application/json' }});
    await expect(refused.json()).resolves.toMatchObject({ name: 'UriTooLongHttpError', statusCode: 414 });
  });

  it('leads to the same resource with any query, for each caller.', async(): Promise<void> => {
    const folder = `${owner.podUrl}asked/`;
    expect((await owner.client.request('PUT', `${folder}a`, { headers: turtle, body: '' })).status).toBe(201);
    for (const query of [ '', '?', '?a=b&c', '?/' ]) {
      for (const url of [ owner.podUrl, folder, `${folder}a` ]) {
        const statuses = await Promise.all([ owner, stranger ].flatMap(({ client }): Promise<number>[] =>
          [ 'GET', 'HEAD' ].map(async(method): Promise<number> => (await client.request(method, url + query)).status)));
        expect([ url + query, ...statuses ]).toEqual([ url + query, 200, 200, 403, 403 ]);
      }
      const created = await owner.client.request('POST', folder + query, { headers: turtle, body: '' });
      expect([ query, created.status ]).toEqual([ query, 201 ]);
    }
  });

  it('of a new resource leaves room for its auxiliary files in each storage.', async(): Promise<void> => {
    const types = [ 'text/turtle', 'text/plain', 'message/disposition-notification', 'application/vnd.example' ];
    async function make(method: string, path: string, headers: Record<string, string>): Promise<number> {
      const body = method === 'GET' ? undefined : '';
      const response = await owner.client.request(method, owner.podUrl + path, { headers, body });
      expect([ method, path, (await response.text()).includes(server.folder) ]).toEqual([ method, path, false ]);
      return response.status;
    }
    for (const type of types) {
      const name = `${type.length}`.padEnd(225, 'n');
      await expect(make('PUT', name, { 'content-type': type })).resolves.toBe(201);
      await expect(make('PATCH', `${name}.meta`, sparql)).resolves.toBe(205);
      await expect(make('PUT', `${name}.acl`, turtle)).resolves.toBe(201);
      await expect(make('DELETE', `${name}.acl`, {})).resolves.toBe(205);
      for (const length of [ 226, 245, 251, 255 ]) {
        const statuses = [
          await make('PUT', 'm'.repeat(length), { 'content-type': type }),
          await make('PUT', `${'m'.repeat(length)}/`, turtle),
          await make('PUT', `${'m'.repeat(length)}/in/it`, turtle),
          await make('PATCH', 'm'.repeat(length), sparql),
          await make('POST', '', { 'content-type': type, slug: 'm'.repeat(length) }),
          await make('GET', 'm'.repeat(length), {}),
        ];
        expect([ type, length, ...statuses ]).toEqual([ type, length, 414, 414, 414, 414, 400, 404 ]);
      }
    }
    for (const slug of [ 'm'.repeat(5000), 'a%2fb', 'a\\b', 'a%00b', '..', '%2e%2e', '%', 'a%0d%0ab' ]) {
      expect([ slug.slice(0, 9), await make('POST', '', { ...turtle, slug }) ]).toEqual([ slug.slice(0, 9), 400 ]);
    }
    for (const name of [ 'q$.txt', 'q$', 'a$.b.c', 'q%24.txt', 'a%253Ab', 'a%253ab', '%2522' ]) {
      const statuses = [
        await make('PUT', name, turtle),
        await make('PUT', `${name}/`, turtle),
        await make('PUT', `${name}/in/it`, turtle),
        await make('PATCH', name, sparql),
        await make('POST', '', { ...turtle, slug: name }),
        await make('POST', '', { ...turtle, slug: name, link: container }),
        await make('GET', name, {}),
      ];
      expect([ name, ...statuses ]).toEqual([ name, 400, 400, 400, 400, 400, 400, 404 ]);
    }
    const deepest = 'd/'.repeat(63);
    await expect(make('PUT', deepest, turtle)).resolves.toBe(201);
    await expect(make('POST', deepest, turtle)).resolves.toBe(400);
  });

  it('leads to one media type, however that is written.', async(): Promise<void> => {
    const { client, podUrl } = owner;
    async function put(name: string, type: string, body: string): Promise<number> {
      return (await client.request('PUT', podUrl + name, { headers: { 'content-type': type }, body })).status;
    }
    for (const [ name, type, body, expected ] of [
      [ 'upper.ttl', 'TEXT/TURTLE', '<#a> <#b> <#c> .', 'text/turtle' ],
      [ 'picture', 'image/PNG', 'png', 'image/png' ],
      [ 'words', 'Text/Plain; Charset=UTF-8', 'words', 'text/plain; charset=UTF-8' ],
      [ 'odd', 'Application/X-Odd; Version=Ab', 'odd', 'application/x-odd; version=Ab' ],
    ]) {
      for (const status of [ 201, 205 ]) {
        expect([ type, await put(name, type, body) ]).toEqual([ type, status ]);
        const read = await client.request('GET', podUrl + name);
        expect([ type, read.status, read.headers.get('content-type') ]).toEqual([ type, 200, expected ]);
        await expect(read.text()).resolves.toBe(body);
      }
    }
    const patched = await client.request('PATCH', `${podUrl}upper.ttl`, {
      headers: { 'content-type': 'Application/SPARQL-Update' },
      body: 'INSERT DATA { <urn:a> <urn:b> <urn:c> }',
    });
    expect(patched.status).toBe(205);
    await expect((await client.request('GET', podUrl)).text()).resolves.not.toMatch(/PNG|TURTLE|X-Odd/u);
    const read = await client.request('GET', `${podUrl}upper.ttl`, { headers: { accept: 'Application/LD+JSON' }});
    expect([ read.status, read.headers.get('content-type') ]).toEqual([ 200, 'application/ld+json' ]);
  });

  it('is not replaced by a part.', async(): Promise<void> => {
    const { client, podUrl } = owner;
    const whole = { headers: { 'content-type': 'text/plain' }, body: 'whole' };
    await client.request('PUT', `${podUrl}whole.txt`, whole);
    const part = { headers: { ...whole.headers, 'content-range': 'bytes 0-1/5' }, body: 'wh' };
    expect((await client.request('PUT', `${podUrl}whole.txt`, part)).status).toBe(400);
    expect((await client.request('PUT', `${podUrl}part.txt`, part)).status).toBe(400);
    await expect((await client.request('GET', `${podUrl}whole.txt`)).text()).resolves.toBe('whole');
    expect((await client.request('GET', `${podUrl}part.txt`)).status).toBe(404);
  });

  it('cannot be given a media type that the server uses internally.', async(): Promise<void> => {
    const before = await server.stored.podPaths();
    const places = [[ 'PUT', 'quads' ], [ 'PUT', 'quads.ttl' ], [ 'PATCH', 'quads' ], [ 'POST', '' ]];
    for (const type of [ 'internal/quads', 'INTERNAL/Quads', 'internal/quads; charset=utf-8', 'internal/error' ]) {
      for (const [ method, path ] of places) {
        const { status } = await owner.client.request(method, owner.podUrl + path, {
          headers: { 'content-type': type },
          body: '<#a> <#b> <#c> .',
        });
        expect([ type, method, status ]).toEqual([ type, method, 415 ]);
      }
    }
    await expect(server.stored.podPaths()).resolves.toEqual(before);
  });

  it.each([
    [ 415, { 'content-encoding': 'gzip' }],
    [ 415, { 'content-encoding': 'identity, GZIP' }],
    [ 501, { 'transfer-encoding': 'gzip, chunked' }],
    [ 201, { 'content-encoding': 'Identity', 'transfer-encoding': 'Chunked' }],
  ])('is %i for a body with %j, whose coding would be forgotten.', async(status, headers): Promise<void> => {
    const url = `${owner.podUrl}coded.txt`;
    const { client } = owner;
    const sent = {
      authorization: `${client.privateKey ? 'DPoP' : 'Bearer'} ${client.token}`,
      dpop: client.privateKey && await client.proof('PUT', url),
      'content-length': undefined,
      'content-type': 'text/plain',
      'transfer-encoding': 'chunked',
      ...headers,
    };
    const body = '4\r\ntext\r\n0\r\n\r\n';
    expect((await rawRequest(base, 'PUT', new URL(url).pathname, { headers: sent, body })).status).toBe(status);
    expect((await owner.client.request('DELETE', url)).status).toBe(status === 201 ? 205 : 404);
  });

  it('is read by ranges of the content sent, each with an end.', async(): Promise<void> => {
    const { client, podUrl } = owner;
    const body = '<#a> <#b> <#c>, <#d> .';
    await client.request('PUT', `${podUrl}ranged.ttl`, { headers: turtle, body });
    await client.request('PUT', `${podUrl}none.txt`, { headers: { 'content-type': 'text/plain' }, body: '' });
    const large = `<#a> <#b> "${'x'.repeat(1_500_000)}" .`;
    await client.request('PUT', `${podUrl}large.ttl`, { headers: turtle, body: large });
    const kinds: [string, string][] = [
      [ 'ranged.ttl', 'text/turtle' ],
      [ 'ranged.ttl', 'application/ld+json' ],
      [ '', 'text/turtle' ],
      [ 'large.ttl', 'application/n-triples' ],
      [ 'none.txt', '*/*' ],
    ];
    const refusal: unknown = expect.any(String);
    for (const [ path, accept ] of kinds) {
      const whole = await (await client.request('GET', podUrl + path, { headers: { accept }})).text();
      const last = whole.length - 1;
      const isHeld = path !== 'large.ttl';
      const ranges: [string, number, number][] = [
        [ 'bytes=0-99999999', 0, last ],
        [ 'bytes=0-0', 0, 0 ],
        [ 'bytes=3-7', 3, 7 ],
        [ 'Bytes = 5-', 5, last ],
        [ 'bytes=-4', last - 3, last ],
        [ 'bytes=-99999999', 0, last ],
        [ `bytes=${last}-${last + 5}`, last, last ],
      ];
      for (const [ range, from, to ] of ranges) {
        const part = await client.request('GET', podUrl + path, { headers: { accept, range }});
        const length = part.headers.get('content-length');
        const text = await part.text();
        const told = [ part.status, part.headers.get('content-range'), part.status === 206 && length, text ];
        const sliced = [ 206, `bytes ${from}-${to}/${whole.length}`, `${to - from + 1}`, whole.slice(from, to + 1) ];
        // An empty document has no range; what is too large to be buffered is sent in full.
        const others = whole.length > 0 || range.includes('=-') ?
            [ 200, null, false, whole ] :
            [ 416, null, false, refusal ];
        expect([ path, accept, range, ...told ])
          .toEqual([ path, accept, range, ...whole.length > 0 && isHeld ? sliced : others ]);
      }
      for (const range of [ `bytes=${last + 1}-`, 'bytes=-0', 'bytes=99999999-999999999' ]) {
        const refused = await client.request('GET', podUrl + path, { headers: { accept, range }});
        expect([ path, accept, range, refused.status ]).toEqual([ path, accept, range, isHeld ? 416 : 200 ]);
        await refused.text();
      }
      for (const range of [ 'bytes=5-2', 'bytes=0-1,3-4', 'bytes=', 'bytes=-', 'bytes=x-1', 'lines=1-2', '=' ]) {
        const ignored = await client.request('GET', podUrl + path, { headers: { accept, range }});
        expect([ path, range, ignored.status ]).toEqual([ path, range, 200 ]);
        await expect(ignored.text()).resolves.toBe(whole);
      }
      const range = 'bytes=0-3';
      const head = await client.request('HEAD', podUrl + path, { headers: { accept, range }});
      expect([ path, head.status, head.headers.get('content-range') ]).toEqual([ path, 200, null ]);
      const headers = { accept, range, 'if-range': '"other"' };
      const dependent = await client.request('GET', podUrl + path, { headers });
      expect([ path, dependent.status, (await dependent.text()).length ]).toEqual([ path, 200, whole.length ]);
    }
    const etag = (await client.request('HEAD', `${podUrl}ranged.ttl`)).headers.get('etag')!;
    const fresh = await client.request('GET', `${podUrl}ranged.ttl`, {
      headers: { range: 'bytes=999-', 'if-none-match': etag },
    });
    expect(fresh.status).toBe(304);
  });

  it('of a container has another version when its listing changes.', async(): Promise<void> => {
    const { client, podUrl } = owner;
    const place = `${podUrl}listed/`;
    async function put(name: string, body: string): Promise<void> {
      const headers = { 'content-type': 'text/plain' };
      expect((await client.request('PUT', place + name, { headers, body })).status).toBeLessThan(300);
    }
    async function etagOf(method: string, headers: Record<string, string> = {}): Promise<string> {
      const sent = { headers: { accept: 'text/turtle', ...headers }};
      return (await client.request(method, place, sent)).headers.get('etag')!;
    }
    const seen = new Set<string>();
    const changes = [
      async(): Promise<void> => put('a', 'one'),
      async(): Promise<void> => put('b', 'two'),
      async(): Promise<void> => put('a', 'another'),
      async(): Promise<void> => put('a', 'another'),
      async(): Promise<void> => put('in/it', 'deeper'),
      async(): Promise<unknown> => Promise.all([ 'b', 'a', 'b', 'in/it' ].map(async(name): Promise<void> =>
        put(name, 'at once'))),
      async(): Promise<unknown> => client.request('DELETE', `${place}a`),
    ];
    for (const change of changes) {
      await change();
      const etag = await etagOf('GET');
      expect(seen).not.toContain(etag);
      seen.add(etag);
      await expect(etagOf('HEAD')).resolves.toBe(etag);
      const same = await client.request('GET', place, { headers: { accept: 'text/turtle', 'if-none-match': etag }});
      expect(same.status).toBe(304);
      const json = 'application/ld+json';
      await expect(etagOf('GET', { accept: json })).resolves.toBe(etag.replace('text/turtle', json));
    }
    const [ first ] = seen;
    const stale = await client.request('POST', place, { headers: { ...turtle, 'if-match': first }, body: '' });
    expect(stale.status).toBe(412);
    const current = await client.request('POST', place, {
      headers: { ...turtle, 'if-match': await etagOf('GET'), slug: 'c' },
      body: '',
    });
    expect(current.status).toBe(201);
    await expect((await client.request('GET', place)).text()).resolves.not.toContain('urn:css-data-sharing');
    for (const name of [ 'b', 'c', 'in/it', 'in/' ]) {
      await client.request('DELETE', place + name);
    }
    expect((await client.request('DELETE', place, { headers: { 'if-match': first }})).status).toBe(412);
    expect((await client.request('DELETE', place, { headers: { 'if-match': await etagOf('GET') }})).status).toBe(205);
  });

  it('of a document keeps its media type, whatever its description says.', async(): Promise<void> => {
    const { client, podUrl } = owner;
    const types = [ 'text/xml', 'application/xml', 'a/b', 'text/plain; charset=iso-8859-1', 'text/javascript' ];
    const format = '<> <http://www.w3.org/ns/ma-ont#format>';
    async function typeOf(path: string): Promise<string | null> {
      return (await client.request('HEAD', path)).headers.get('content-type');
    }
    for (const [ index, type ] of types.entries()) {
      const path = `${podUrl}typed${index}`;
      await client.request('PUT', path, { headers: { 'content-type': type }, body: 'x' });
      await expect(typeOf(path)).resolves.toBe(type);
      const changes: [string, string, Record<string, string>][] = [
        [ 'PATCH', `INSERT DATA { ${format} "text/html" }`, sparql ],
        [ 'PATCH', 'DELETE { <> ?p ?o } WHERE { <> ?p ?o }', sparql ],
        [ 'PUT', '<> <https://example.org/p> "v" .', turtle ],
      ];
      for (const [ method, body, headers ] of changes) {
        await client.request(method, `${path}.meta`, { headers, body });
        await expect(typeOf(path)).resolves.toBe(type);
      }
      await expect((await client.request('GET', path)).text()).resolves.toBe('x');
    }
  });

  it('of truncated RDF/XML is not an empty document.', async(): Promise<void> => {
    const { client, podUrl } = owner;
    const headers = { 'content-type': 'application/rdf+xml' };
    const whole = '<r:RDF xmlns:r="http://www.w3.org/1999/02/22-rdf-syntax-ns#" xmlns:e="https://example.org/">' +
      '<r:Description r:about="#it"><e:p>v</e:p></r:Description></r:RDF>';
    for (const body of [ whole.slice(0, -10), whole.slice(0, 100), whole.slice(0, 20) ]) {
      await client.request('PUT', `${podUrl}early.rdf`, { headers, body });
      for (const accept of [ 'text/turtle', 'application/ld+json' ]) {
        const answer = await client.request('GET', `${podUrl}early.rdf`, { headers: { accept }});
        expect(answer.status).toBeGreaterThanOrEqual(400);
        await expect(answer.text()).resolves.not.toContain('example.org');
      }
      const rules = await client.request('PUT', `${podUrl}early.rdf.acl`, { headers, body });
      expect(rules.status).toBe(400);
      expect((await client.request('GET', `${podUrl}early.rdf.acl`)).status).toBe(404);
    }
    await client.request('PUT', `${podUrl}early.rdf`, { headers, body: whole });
    const answer = await client.request('GET', `${podUrl}early.rdf`, { headers: { accept: 'text/turtle' }});
    await expect(answer.text()).resolves.toContain('"v"');
  });

  it.each([ 'v1', 'v2' ])('of JSON-LD with the context of security %s needs no network.', async(v): Promise<void> => {
    const { client, podUrl } = owner;
    const body = JSON.stringify({ '@context': `https://w3id.org/security/${v}`, '@id': '#it', nonce: 'once' });
    await client.request('PUT', `${podUrl}secured`, { headers: { 'content-type': 'application/ld+json' }, body });
    const converted = await client.request('GET', `${podUrl}secured`, { headers: { accept: 'application/n-triples' }});
    await expect(converted.text()).resolves.toContain('<https://w3id.org/security#nonce> "once"');
  });

  it('of a description has versions and conditions of its own.', async(): Promise<void> => {
    const { client, podUrl } = owner;
    const headers = { 'content-type': 'text/plain' };
    let values = 0;
    for (const path of [ `${podUrl}described`, `${podUrl}described-too/` ]) {
      await client.request('PUT', path, { headers, body: 'x' });
      async function patch(conditions: Record<string, string>): Promise<number> {
        values += 1;
        const body = `INSERT DATA { <> <https://example.org/p> ${values} }`;
        return (await client.request('PATCH', `${path}.meta`, { headers: { ...sparql, ...conditions }, body })).status;
      }
      async function etagOf(): Promise<string> {
        return (await client.request('GET', `${path}.meta`)).headers.get('etag')!;
      }
      const first = await etagOf();
      expect(first).toMatch(/^"\d+-text\/turtle"$/u);
      await expect(patch({ 'if-none-match': '*' })).resolves.toBe(412);
      await expect(patch({ 'if-match': '"none"' })).resolves.toBe(412);
      await expect(patch({ 'if-unmodified-since': 'Sat, 01 Jan 2000 00:00:00 GMT' })).resolves.toBe(412);
      await expect(etagOf()).resolves.toBe(first);
      await expect(patch({ 'if-match': first })).resolves.toBe(205);
      await expect(patch({ 'if-match': first })).resolves.toBe(412);
      await expect(patch({ 'if-match': '*' })).resolves.toBe(205);
      const unmodified = { headers: { 'if-none-match': `W/${await etagOf()}` }};
      expect((await client.request('GET', `${path}.meta`, unmodified)).status).toBe(304);
      expect((await client.request('GET', path, { headers: { 'if-match': '"none"' }})).status).toBe(412);
      const missing = { headers: { ...sparql, 'if-match': first }, body: 'INSERT DATA { <#a> <#b> <#c> }' };
      expect((await client.request('PATCH', `${podUrl}nothing-there`, missing)).status).toBe(412);
      expect((await client.request('GET', `${podUrl}nothing-there`)).status).toBe(404);
    }
  });

  it('of a pod has a limited length, and no response names a folder of the machine.', async(): Promise<void> => {
    const account = await createAccount(base, { email: 'names@example.org', password: 'password of names' });
    const asked = { accept: 'application/json', authorization: account.authorization };
    const headers = { ...asked, 'content-type': 'application/json' };
    const { controls } = await json<{ controls: { account: { pod: string }}}>(
      await fetch(account.index, { headers: asked }),
    );
    for (const length of [ 226, 256, 3000 ]) {
      const body = JSON.stringify({ name: 'p'.repeat(length) });
      const refused = await fetch(controls.account.pod, { method: 'POST', headers, body });
      expect([ length, refused.status ]).toEqual([ length, 400 ]);
      await expect(refused.text()).resolves.not.toContain(server.folder);
    }
  });

  it('that fails in the file system does not reveal a folder.', async(): Promise<void> => {
    await mkdir(join(server.folder, 'pods/owner'), { recursive: true });
    await symlink('loop', join(server.folder, 'pods/owner/loop'));
    for (const accept of [ 'application/json', 'text/plain', 'text/html', 'text/turtle', '*/*' ]) {
      const failed = await owner.client.request('GET', `${owner.podUrl}loop`, { headers: { accept }});
      expect([ accept, failed.status ]).toEqual([ accept, isOnPostgres ? 404 : 500 ]);
      await expect(failed.text()).resolves.not.toMatch(/ELOOP|pods\/owner/u);
    }
    expect(server.log().includes('ELOOP')).toBe(!isOnPostgres);
  });

  it('has the same limits in bodies and parameters.', async(): Promise<void> => {
    for (const path of [ 'a/'.repeat(64), 'a'.repeat(256), 'a'.repeat(2048) ]) {
      const resource = owner.podUrl + path;
      const query = new URLSearchParams({ resource }).toString();
      const grant = { 'x-access-grant': `${base}.access/vc/0b5c0cf4-5c52-4e3a-8f6f-0a52b6a1c001` };
      const asked = await owner.client.request('GET', `${base}v1/resources?${query}`, { headers: grant });
      await expectProblem(asked, 400, 'resource-uri-invalid');
      const body = { resource, accessGrant: grant['x-access-grant'] };
      const reported = await owner.client.request('POST', `${base}v1/data-copies`, { body });
      expect(reported.status).toBe(400);
    }
  });

  it('with 64 segments is decided quickly, whoever asks.', async(): Promise<void> => {
    for (const [ who, client ] of callers()) {
      for (const [ method, sent ] of requests) {
        const path = `${who}${method}/${'a/'.repeat(61)}${method === 'POST' ? '' : 'f'}`;
        const { status } = await client.request(method, owner.podUrl + path, sent);
        const isMade = method === 'PUT' || method === 'PATCH';
        const expected = { nobody: 401, stranger: 403, owner: isMade ? 201 : 404 }[who];
        expect([ who, method, status ]).toEqual([ who, method, expected ]);
      }
    }
  });

  it('must have this server\'s host.', async(): Promise<void> => {
    const foreign: Record<string, string>[] = [
      { host: 'evil.example' },
      { host: '' },
      { host: `evil@${host}` },
      { host: `${host}?x` },
      { host: `${host}/x` },
      { 'x-forwarded-host': 'evil.example' },
      { 'x-forwarded-proto': 'gopher' },
      { 'x-forwarded-proto': 'javascript' },
      { forwarded: 'host=evil.example' },
      { forwarded: 'host="evil.example"' },
    ];
    const places = [ '/', '/owner/', '/owner/profile/card', '/owner/.acl', '/.account/', '/.account/login/password/' ];
    for (const path of [ ...places, '/.oidc/auth?client_id=x', '/.notifications/WebSocketChannel2023/' ]) {
      for (const headers of foreign) {
        const { status, whole } = await rawRequest(base, 'GET', path, { headers });
        expect([ path, headers, status ]).toEqual([ path, headers, 421 ]);
        expect(whole).not.toContain('evil');
      }
    }
    const headers = { 'x-forwarded-host': host, host: 'inside' };
    const named = await rawRequest(base, 'GET', '/owner/profile/card', { headers });
    expect(named.status).toBe(200);
    const inLine = await rawRequest(base, 'GET', `http://${host}/owner/profile/card`, { headers: { host: 'other' }});
    expect(inLine.status).toBe(200);
    expect((await rawRequest(base, 'GET', 'http://evil.example/owner/profile/card')).status).toBe(421);
  });

  it('must not have two hosts, tokens or media types, of which a proxy may take the other.', async(): Promise<void> => {
    const authorization = `Bearer ${stranger.client.token}`;
    const upgrade = { connection: 'Upgrade', upgrade: 'websocket' };
    const twice: Record<string, string>[] = [
      { host, Host: 'evil.example' },
      { host, HOST: host },
      { authorization, Authorization: 'Bearer other' },
      { 'content-type': 'text/turtle', 'Content-Type': 'text/html' },
      { ...upgrade, Host: host },
      { host, 'x-many': '\r\na:'.repeat(2000), Host: host },
    ];
    for (const headers of twice) {
      for (const path of [
        '/owner/profile/card',
        '/.account/',
        '/.oidc/jwks',
        '/v1/openapi.json',
        '/.access/',
        '/.health/live',
      ]) {
        const { status } = await rawRequest(base, 'GET', path, { headers });
        expect([ headers, path, status ]).toEqual([ headers, path, 400 ]);
      }
    }
    const put = { headers: { 'content-type': 'text/turtle', 'Content-Type': 'text/html' }, body: 'x' };
    expect((await rawRequest(base, 'PUT', '/owner/twice', put)).status).toBe(400);
  });

  it('of CONNECT is refused with a problem.', async(): Promise<void> => {
    for (const target of [ host, 'evil.example:443', '/', '*' ]) {
      const { headers, status, text } = await rawRequest(base, 'CONNECT', target);
      expect([ target, status, JSON.parse(text) ])
        .toEqual([ target, 405, expect.objectContaining({ type: `${base}v1/problems/method-not-allowed` }) ]);
      expect(headers.get('connection')).toBe('close');
    }
  });

  it('of a WebSocket follows the same rules.', async(): Promise<void> => {
    const upgrade = {
      connection: 'Upgrade',
      upgrade: 'websocket',
      'sec-websocket-version': '13',
      'sec-websocket-key': 'dGhlIHNhbXBsZSBub25jZQ==',
    };
    const topic = `${owner.podUrl}profile/card`;
    const subscribed = await owner.client.request('POST', `${base}.notifications/WebSocketChannel2023/`, {
      headers: { 'content-type': 'application/ld+json' },
      body: JSON.stringify({
        '@context': [ 'https://www.w3.org/ns/solid/notification/v1' ],
        type: 'http://www.w3.org/ns/solid/notifications#WebSocketChannel2023',
        topic,
      }),
    });
    expect(subscribed.status).toBe(200);
    for (const [ target, status ] of [
      [ '/v1', 200 ],
      [ '/v1/none', 404 ],
      [ '/owner/profile/card', 200 ],
      [ '/owner/', 401 ],
      [ '/.notifications%2Fx', 400 ],
      [ '/a%00', 400 ],
      [ '/a'.repeat(65), 414 ],
    ] as const) {
      const answer = await rawRequest(base, 'GET', target, { headers: upgrade });
      expect([ target, answer.status ]).toEqual([ target, status ]);
      expect(answer.headers.get('x-correlation-id')).toMatch(uuid);
      expect(answer.headers.get('access-control-allow-origin')).toBe('*');
    }
  });

  it('must have a UUID as correlation id, on each of our paths.', async(): Promise<void> => {
    const headers = { 'x-correlation-id': 'no uuid' };
    const interfaces = [ 'v1/openapi.json', 'v1/none', '.access/keys', '.access/none', '.uma/keys', '.uma/none' ];
    const checks = [ '.health/live', '.health/ready', '.health/none' ];
    for (const path of [ ...interfaces, ...checks, '.well-known/uma2-configuration' ]) {
      await expectProblem(await fetch(base + path, { headers }), 400, 'correlation-id-invalid');
    }
    const live = await fetch(`${base}.health/live`, { headers: { origin: 'https://app.example' }});
    expect(live.headers.get('x-correlation-id')).toMatch(uuid);
    expect(live.headers.get('access-control-allow-origin')).toBe('https://app.example');
  });

  it.each([
    [ '/owner/profile/card', 200, {}],
    [ '/owner/', 401, {}],
    [ '/v1/unknown', 404, {}],
    [ '/.account/unknown', 404, {}],
    [ '/owner/a%00b', 400, {}],
    [ '/v1/a%2Fb', 400, {}],
    [ '/owner/a b', 400, {}],
    [ 'nowhere at all', 400, {}],
    [ '/owner/a\u0001b', 400, {}],
    [ `/owner/${'a/'.repeat(70)}`, 414, {}],
    [ '/owner/profile/card', 421, { host: 'evil.example' }],
    [ '/v1/openapi.json', 431, { 'x-large': 'a'.repeat(20_000) }],
  ])('of HEAD %s, answered with %i, has no body in the response.', async(target, status, headers): Promise<void> => {
    const answer = await rawRequest(base, 'HEAD', target, { headers });
    expect({ status: answer.status, text: answer.text }).toEqual({ status, text: '' });
  });

  it('must not have headers that take long to parse.', async(): Promise<void> => {
    const accept = `text/turtle${';'.repeat(15_000)}`;
    const forwarded = `for=x${'\t '.repeat(7000)}y`;
    const upgrade = { connection: 'upgrade', upgrade: 'websocket' };
    const link = '<'.repeat(15_000);
    const heavy: Record<string, string>[] = [{ accept }, { forwarded }, { link }, { ...upgrade, forwarded }];
    for (const headers of heavy) {
      for (const target of [ '/owner/', '/.account/', '/.notifications/WebSocketChannel2023/x' ]) {
        for (const [ method ] of 'upgrade' in headers ? [[ 'GET' ]] : requests) {
          // A limit on failures is counted for each address.
          const sent = { 'x-forwarded-for': '198.51.102.1', ...headers };
          let took = Infinity;
          // Once more if the machine was busy: parsing takes long each time.
          for (let tries = 0; tries < 3 && took >= 1000; tries += 1) {
            const begun = performance.now();
            const { status } = await rawRequest(base, method, target, { headers: sent });
            took = performance.now() - begun;
            expect([ method, target, status ]).toEqual([ method, target, 431 ]);
          }
          expect([ method, target, took < 1000 ]).toEqual([ method, target, true ]);
        }
      }
    }
  });

  it('in a malformed request is answered with a problem.', async(): Promise<void> => {
    const large = await rawRequest(base, 'GET', '/v1/openapi.json', { headers: { 'x-large': 'a'.repeat(20_000) }});
    expect([ large.status, JSON.parse(large.text) ])
      .toEqual([ 431, expect.objectContaining({ status: 431, type: `${base}v1/problems/headers-too-large` }) ]);
    const none = await rawRequest(base, 'GET', 'nowhere at all');
    expect([ none.status, JSON.parse(none.text) ]).toEqual([ 400, expect.objectContaining({ type: 'about:blank' }) ]);
    const unnamed = await rawRequest(base, 'GET', '/v1', { headers: { host: undefined }});
    expect([ unnamed.status, JSON.parse(unnamed.text) ])
      .toEqual([ 400, expect.objectContaining({ type: 'about:blank', detail: 'The request has no host header.' }) ]);
    for (const { headers } of [ large, none, unnamed ]) {
      expect(headers.get('x-correlation-id')).toMatch(uuid);
      expect(headers.get('access-control-allow-origin')).toBe('*');
      expect(headers.get('access-control-expose-headers')!.split(',')).toEqual([ 'Date', 'X-Correlation-Id' ]);
      expect(Math.abs(Date.parse(headers.get('date')!) - Date.now())).toBeLessThan(10_000);
    }
  });

  it('must have a host, for every method and path, except in HTTP/1.0.', async(): Promise<void> => {
    for (const path of [ '/', '/v1', '/owner/profile/card', '/.health/live', '/.access/keys', `http://${host}/v1` ]) {
      for (const method of [ 'GET', 'HEAD', 'OPTIONS', 'DELETE' ]) {
        const { status, text } = await rawRequest(base, method, path, { headers: { host: undefined }});
        expect([ method, path, status, text === '' ]).toEqual([ method, path, 400, method === 'HEAD' ]);
      }
    }
    const old = await rawRequest(base, 'GET', '/v1 HTTP/1.0\r\nX-Rest:', { headers: { host: undefined }});
    expect(old.status).toBe(200);
    const first = `/v1 HTTP/1.1\r\nHost: ${host}\r\n\r\nGET /v1`;
    const both = await rawRequest(base, 'GET', first, { headers: { host: undefined }});
    expect(both.whole.match(/HTTP\/1\.1 \d+/gu)).toEqual([ 'HTTP/1.1 200', 'HTTP/1.1 400' ]);
  });

  it('with an upgrade to HTTP/2 is answered as usual, including the body.', async(): Promise<void> => {
    const wish = { connection: 'Upgrade, HTTP2-Settings', upgrade: 'h2c', 'http2-settings': 'AAMAAABk' };
    const index = await rawRequest(base, 'GET', '/v1', { headers: wish });
    expect(index.status).toBe(200);
    expect(JSON.parse(index.text)).toMatchObject({ docs: `${base}v1/docs` });
    expect(index.headers.get('x-correlation-id')).toMatch(uuid);
    const client = { redirect_uris: [ 'https://app.example/' ], client_name: 'x'.repeat(100) };
    const headers = { ...wish, 'content-type': 'application/json' };
    const made = await rawRequest(base, 'POST', '/.oidc/reg', { headers, body: JSON.stringify(client) });
    expect([ made.status, made.text ]).toEqual([ 201, expect.stringContaining(client.client_name) ]);
    const heavy = await rawRequest(base, 'GET', '/owner/', { headers: { ...wish, link: '<'.repeat(15_000) }});
    expect(heavy.status).toBe(431);
  });

  it('with an unknown expectation is answered as usual.', async(): Promise<void> => {
    const answer = await rawRequest(base, 'GET', '/v1', { headers: { expect: 'the-unexpected' }});
    expect(answer.status).toBe(200);
    expect(answer.headers.get('x-correlation-id')).toMatch(uuid);
    expect(answer.headers.get('access-control-allow-origin')).toBe('*');
  });
});
