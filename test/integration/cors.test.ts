import { randomUUID } from 'node:crypto';
import { rawRequest } from '../support/rawRequest';
import { until } from '../support/sharingWorld';
import type { TestServer } from '../support/world';
import { startServer } from '../support/world';

const origin = 'https://app.example';
const uuid = /^[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}$/u;

/** Headers that browsers let an app read only when they are exposed (DESIGN.md, section 10). */
const exposed = [
  'Link',
  'Location',
  'X-Correlation-Id',
  'WWW-Authenticate',
  'Retry-After',
  'RateLimit',
  'Deprecation',
  'Sunset',
  'Accept-Ranges',
  'Date',
];

/** Routes of this package: an open one, an unknown one, and some that refuse. */
const ownPaths = [
  'v1/openapi.json',
  'v1/unknown',
  'v1/webids',
  'v1/contracts/diploma-employment',
  '.access/keys',
  '.access/vc/1',
];

const fromApp = { origin };

describe('Apps in browsers', (): void => {
  let server: TestServer;

  beforeAll(async(): Promise<void> => {
    server = await startServer({ loggingLevel: 'info' });
  });

  afterAll(async(): Promise<void> => {
    await server.stop();
  });

  async function ask(path: string, headers: Record<string, string> = fromApp, method = 'GET'): Promise<Headers> {
    const response = await fetch(`${server.base}${path}`, { method, headers });
    await response.arrayBuffer();
    return response.headers;
  }

  it.each([ '*/*', 'text/html', 'text/turtle' ])('learn at the root where access is granted, in %s.', async(
    accept,
  ): Promise<void> => {
    const headers = await ask('', { ...fromApp, accept });
    expect(headers.get('www-authenticate')).toContain(`as_uri="${new URL(server.base).origin}"`);
    // A browser caches a response without its challenge.
    expect(headers.get('cache-control')).toBe('no-store');
  });

  it.each(ownPaths)('have the same access to %s as to the server\'s own routes.', async(path): Promise<void> => {
    const ofServer = corsOf(await ask('.account/'));
    expect(ofServer).toMatchObject({
      'access-control-allow-origin': [ origin ],
      'access-control-allow-credentials': [ 'true' ],
    });
    expect(corsOf(await ask(path))).toEqual(ofServer);
    expect(list((await ask(path)).get('vary'))).toContain('origin');
  });

  it.each([ 'v1/webids', '.account/', 'nowhere' ])('may read the headers of %s.', async(path): Promise<void> => {
    const names = corsOf(await ask(path))['access-control-expose-headers'];
    expect(names).toEqual(expect.arrayContaining(exposed.map((name): string => name.toLowerCase())));
  });

  it.each<[ string, string, number, Record<string, string>, string? ]>([
    [ 'GET', '', 200, {}],
    [ 'GET', '.well-known/solid', 200, {}],
    [ 'GET', '.well-known/openid-configuration', 200, {}],
    [ 'GET', '.well-known/uma2-configuration', 200, {}],
    [ 'GET', '.health/ready', 200, {}],
    [ 'GET', '.oidc/jwks', 200, {}],
    [ 'GET', '.account/', 200, {}],
    [ 'POST', '.oidc/token', 400, {}],
    [ 'POST', '.uma/token', 400, {}],
    [ 'GET', 'v1/openapi.json', 400, { 'x-correlation-id': 'none' }],
    [ 'GET', 'a%2Fb', 400, {}],
    [ 'GET', 'v1/webids', 401, {}],
    [ 'PUT', 'nowhere/at/all', 401, {}],
    [ 'POST', '.account/login/password/', 403, { origin: 'https://other.example', 'content-type': 'application/json' }],
    [ 'GET', 'v1/unknown', 404, {}],
    [ 'GET', '.oidc/nowhere', 404, {}],
    [ 'PATCH', 'v1/webids', 405, {}],
    [ 'GET', '.well-known/solid', 406, { accept: 'image/png' }],
    [ 'GET', 'x'.repeat(3000), 414, {}],
    [ 'GET', `v1/${'x'.repeat(3000)}`, 414, {}],
    [ 'GET', 'v1/openapi.json', 431, { 'x-long': 'x'.repeat(20_000) }],
  ])('may read the answer to %s %s: %i.', async(method, path, status, headers, body = ''): Promise<void> => {
    const answer = await rawRequest(server.base, method, `/${path}`, { headers: { ...fromApp, ...headers }, body });
    const allowed = answer.headers.get('access-control-allow-origin');
    expect([ answer.status, [ '*', headers.origin ?? origin ].includes(allowed!) ]).toEqual([ status, true ]);
    expect(answer.headers.get('access-control-expose-headers')?.toLowerCase()).toContain('x-correlation-id');
  });

  it.each([ '', 'v1/webids', '.account/', '.oidc/token', '.oidc/jwks', '.well-known/openid-configuration', 'nowhere' ])(
    'may cache a preflight for /%s for a day.',
    async(path): Promise<void> => {
      const preflight = { origin, 'access-control-request-method': 'POST' };
      expect((await ask(path, preflight, 'OPTIONS')).get('access-control-max-age')).toBe('86400');
    },
  );

  it('are treated as by the server when they send no origin.', async(): Promise<void> => {
    expect(corsOf(await ask('v1/openapi.json', {}))).toEqual(corsOf(await ask('.account/', {})));
  });

  it.each(ownPaths)('learn from a preflight for %s what they may send.', async(path): Promise<void> => {
    const preflight = {
      origin,
      'access-control-request-method': 'PUT',
      'access-control-request-headers': 'authorization, dpop, x-access-grant, x-correlation-id, content-type',
    };
    const ours = await fetch(`${server.base}${path}`, { method: 'OPTIONS', headers: preflight });
    const servers = await fetch(`${server.base}.account/`, { method: 'OPTIONS', headers: preflight });
    expect(ours.status).toBe(204);
    expect(ours.status).toBe(servers.status);
    expect(corsOf(ours.headers)).toEqual(corsOf(servers.headers));
    const cors = corsOf(ours.headers);
    expect(cors['access-control-allow-methods']).toEqual(expect.arrayContaining([ 'get', 'put', 'post', 'delete' ]));
    expect(cors['access-control-allow-headers'])
      .toEqual(expect.arrayContaining([ 'authorization', 'dpop', 'x-access-grant' ]));
  });

  it.each([
    [ 'v1/webids', 'GET, PUT, DELETE, HEAD, OPTIONS' ],
    [ 'v1/contracts/diploma-employment/data', 'GET, POST, HEAD, OPTIONS' ],
    [ 'v1/contracts/a%2Fb', 'GET, HEAD, OPTIONS' ],
    [ '.access/issue', 'POST, OPTIONS' ],
    [ '.health/ready', 'GET, HEAD, OPTIONS' ],
    [ 'v1/unknown', null ],
    [ 'nowhere/note.ttl', 'OPTIONS, HEAD, GET, PATCH, PUT, DELETE' ],
    [ 'nowhere/', 'OPTIONS, HEAD, GET, POST' ],
    [ 'nowhere/folder/', 'OPTIONS, HEAD, GET, POST, DELETE' ],
    [ 'nowhere/note.ttl.meta', 'OPTIONS, HEAD, GET, PATCH, PUT' ],
    [ 'nowhere/note.ttl.acl', 'OPTIONS, HEAD, GET, PATCH, PUT, DELETE' ],
    [ 'nowhere/.acl', 'OPTIONS, HEAD, GET, PATCH, PUT' ],
    [ '.account/', null ],
    [ 'nowhere/.well-known/solid', null ],
  ])('learn which methods %s allows, like any other client.', async(path, allow): Promise<void> => {
    expect((await ask(path, {}, 'OPTIONS')).get('allow')).toBe(allow);
    const preflight = { origin, 'access-control-request-method': 'GET' };
    expect((await ask(path, preflight, 'OPTIONS')).get('allow')).toBe(allow);
  });

  it.each([
    'v1/openapi.json',
    'v1/webids',
    '.account/',
    'nowhere',
  ])('get a correlation id from %s: their own, or a new one.', async(path): Promise<void> => {
    const id = randomUUID();
    expect((await ask(path, { origin, 'x-correlation-id': id })).get('x-correlation-id')).toBe(id);
    expect((await ask(path)).get('x-correlation-id')).toMatch(uuid);
    const preflight = { origin, 'access-control-request-method': 'GET', 'x-correlation-id': id };
    expect((await ask(path, preflight, 'OPTIONS')).get('x-correlation-id')).toMatch(uuid);
  });

  it.each([
    [ 'v1/openapi.json', 'GET /v1/openapi.json 200' ],
    [ '.account/', 'GET left to the Solid server 200' ],
  ])('are logged under the correlation id of their request for %s.', async(path, line): Promise<void> => {
    const id = randomUUID();
    await ask(path, { origin, 'x-correlation-id': id });
    await until(async(): Promise<boolean> => server.log().includes(`${id} ${line}`));
    expect(server.log().split('\n').find((text): boolean => text.includes(id))).toContain('{Primary}');
  });

  it('get a new correlation id from the server\'s own routes if theirs is not a UUID.', async(): Promise<void> => {
    const given = (await ask('.account/', { origin, 'x-correlation-id': 'no uuid' })).get('x-correlation-id');
    expect(given).toMatch(uuid);
  });
});

function corsOf(headers: Headers): Record<string, string[]> {
  const found: Record<string, string[]> = {};
  // eslint-disable-next-line unicorn/no-array-for-each -- the only way that is typed
  headers.forEach((value, name): void => {
    if (name.startsWith('access-control-')) {
      found[name] = list(value);
    }
  });
  return found;
}

function list(header: string | null): string[] {
  return (header ?? '').split(',').map((item): string => item.trim().toLowerCase()).filter(Boolean).sort();
}
