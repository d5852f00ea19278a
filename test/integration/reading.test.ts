import { request } from 'node:http';
import { testFreshReads } from '../support/freshReads';
import { issueGrant } from '../support/issueGrant';
import { until } from '../support/sharingWorld';
import type { Client, TestServer, World } from '../support/world';
import { accountWithPod, startWorld } from '../support/world';
import type { WebId } from '../../src/platform/webId';
import { parseWebId } from '../../src/platform/webId';

interface Shared {
  podResource: string;
  accessGrant: string;
}

/** A resource in a pod that a data user has access to. */
interface Granted {
  accessGrant: string;
  granted: string;
  read: (parameters?: string) => Promise<Response>;
}

describe('Shared data', (): void => {
  let world: World;
  let emma: Client;
  let consumer: Client;
  let consumerWebId: WebId;
  let shared: Shared;
  let url: string;

  beforeAll(async(): Promise<void> => {
    world = await startWorld();
    const { base, national } = world;
    const account = await accountWithPod(base, 'consumer');
    consumer = account.client;
    consumerWebId = parseWebId(account.webId);
    await (await national.logIn('emma')).request('PUT', `${base}v1/webids`);
    emma = await national.logIn('emma');
    const data = `${base}v1/contracts/diploma-employment/data`;
    const { dataValues } = await (await emma.request('GET', data)).json() as { dataValues: { id: string }[] };
    const response = await emma.request('POST', data, { body: { dataValues: [ dataValues[0].id ]}});
    [ shared ] = await response.json() as Shared[];
    url = `${base}v1/resources?resource=${encodeURIComponent(shared.podResource)}`;
  });

  afterAll(async(): Promise<void> => {
    await world.stop();
  });

  async function read(headers: Record<string, string> = {}, method = 'GET'): Promise<Response> {
    return consumer.request(method, url, { headers: { 'x-access-grant': shared.accessGrant, ...headers }});
  }

  /** Gives the consumer read access to a resource in the pod. */
  async function readGranted(path: string): Promise<Granted> {
    const pod = shared.podResource.replace(/credentials\/.*$/u, '');
    const granted = `${pod}${path}`;
    const accessGrant = await issueGrant(world.server, {
      subject: parseWebId(`${pod}profile/card#me`),
      recipient: consumerWebId,
      modes: [ 'Read' ],
      resources: [ granted ],
      inherit: false,
    });
    const url = `${world.base}v1/resources?resource=${encodeURIComponent(granted)}`;
    return {
      accessGrant,
      granted,
      read: async(parameters = ''): Promise<Response> =>
        consumer.request('GET', `${url}${parameters}`, { headers: { 'x-access-grant': accessGrant }}),
    };
  }

  it('is read in full, byte for byte as in the pod.', async(): Promise<void> => {
    const response = await read();
    expect(response.status).toBe(200);
    expect(response.headers.get('content-type')).toBe('application/ld+json');
    const stored = await emma.request('GET', shared.podResource, { headers: { accept: 'application/ld+json' }});
    await expect(response.text()).resolves.toBe(await stored.text());
  });

  it('is read in part.', async(): Promise<void> => {
    const whole = await (await read()).text();
    const response = await read({ range: 'bytes=5-14' });
    expect(response.status).toBe(206);
    expect(response.headers.get('content-range')).toBe(`bytes 5-14/${Buffer.byteLength(whole)}`);
    await expect(response.text()).resolves.toBe(Buffer.from(whole).subarray(5, 15).toString());
  });

  it('is not found under a name that no file can have.', async(): Promise<void> => {
    const { read: readOdd } = await readGranted('data/x%24.ttl');
    expect((await readOdd()).status).toBe(404);
    const { read: readLong } = await readGranted(`data/${'x'.repeat(300)}`);
    expect((await readLong()).status).toBe(400);
  });

  it('is not sent again to a client that has it.', async(): Promise<void> => {
    const etag = (await read({}, 'HEAD')).headers.get('etag')!;
    const response = await read({ 'if-none-match': etag });
    expect(response.status).toBe(304);
    await expect(response.text()).resolves.toBe('');
  });

  it('is only for its reader: no shared cache gives it, or a refusal, to others.', async(): Promise<void> => {
    const pod = shared.podResource.split('/')[3];
    const etag = (await read({}, 'HEAD')).headers.get('etag')!;
    const personal = [
      await read(),
      await read({}, 'HEAD'),
      await read({ range: 'bytes=0-0' }),
      await read({ 'if-none-match': etag }),
      await emma.request('GET', `${world.base}v1/webids`),
      await emma.request('GET', `${world.base}v1/contracts/diploma-employment/data`),
      await emma.request('GET', `${world.base}v1/pods/${pod}/resources`),
      await consumer.request('GET', shared.accessGrant),
      await consumer.request('GET', `${world.base}v1/data-copies`),
    ];
    for (const response of personal) {
      expect([ response.status, keeping(response) ])
        .toEqual([ response.status, [ 'private, no-cache', 'Authorization, DPoP, X-Access-Grant, Origin' ]]);
    }
    expect(personal.map(({ status }): number => status)).toEqual([ 200, 200, 206, 304, 200, 200, 200, 200, 200 ]);
    const refused = [ await fetch(url), await emma.request('GET', url), await read({ range: 'bytes=9999999-' }) ];
    expect(refused.map(({ status }): number => status)).toEqual([ 401, 400, 416 ]);
    for (const response of refused) {
      expect(keeping(response)).toEqual([ 'no-store', 'Authorization, DPoP, X-Access-Grant, Accept, Origin' ]);
    }
  });

  it('stays unchanged while another version is uploaded, and if the upload breaks off.', async(): Promise<void> => {
    const before = await (await read()).text();
    const upload = request(shared.podResource, {
      method: 'PUT',
      headers: { ...await emma.authentication('PUT', shared.podResource), 'content-type': 'application/ld+json' },
    });
    upload.on('error', (): void => {
      // It is broken off below.
    });
    await new Promise((resolve): unknown => upload.write('{ "begun": "'.padEnd(600_000, 'x'), resolve));
    await expect((await read()).text()).resolves.toBe(before);
    upload.destroy();
    await expect((await read()).text()).resolves.toBe(before);
    await until(async(): Promise<boolean> => await world.server.stored.uploads() === 0);
  });

  it('can be written immediately after each kind of read: none keeps its lock.', async(): Promise<void> => {
    await (await read({}, 'HEAD')).text();
    await (await read({ range: 'bytes=0-0' })).text();
    const stored = await emma.request('GET', shared.podResource, { headers: { accept: 'application/ld+json' }});
    const response = await emma.request('PUT', shared.podResource, {
      headers: { 'content-type': 'application/ld+json' },
      body: await stored.text(),
    });
    expect(response.status).toBe(205);
    expect(world.server.log()).not.toContain('Lock expired');
  });

  describe('and other resources', (): void => {
    it('have the content type they were written with, including parameters.', async(): Promise<void> => {
      const { granted, read } = await readGranted('notes/greeting.txt');
      const headers = { 'content-type': 'text/plain; charset=utf-8' };
      await emma.request('PUT', granted, { headers, body: 'Goeiedag!' });
      const response = await read();
      expect(response.headers.get('content-type')).toBe('text/plain; charset=utf-8');
      await expect(response.text()).resolves.toBe('Goeiedag!');
    });

    it.each([
      'application/ld+json; profile="http://www.w3.org/ns/json-ld#compacted"',
      'multipart/mixed; boundary="a b;c"; note="\\"quoted\\""',
    ])('have the parameters of %s in quotes, on the interface and in the pod.', async(type): Promise<void> => {
      const { granted, read } = await readGranted('notes/quoted');
      await emma.request('PUT', granted, { headers: { 'content-type': type }, body: '{}' });
      for (const response of [ await read(), await emma.request('HEAD', granted) ]) {
        expect([ response.status, response.headers.get('content-type') ]).toEqual([ 200, type ]);
      }
      await emma.request('DELETE', granted);
    });

    it('can be read and replaced when a parameter of their content type has no value.', async(): Promise<void> => {
      const { granted, read } = await readGranted('notes/valueless');
      for (const type of [ 'text/plain; x', 'text/plain; x; charset=utf-8' ]) {
        await emma.request('PUT', granted, { headers: { 'content-type': type }, body: 'text' });
        for (const response of [ await read(), await emma.request('GET', granted) ]) {
          expect([ response.status, response.headers.get('content-type') ]).toEqual([ 200, type.replace('; x', '') ]);
        }
      }
      expect((await emma.request('GET', `${granted}.meta`)).status).toBe(200);
      expect((await emma.request('DELETE', granted)).status).toBe(205);
    });

    it('have no status or headers that their description states.', async(): Promise<void> => {
      const { granted } = await readGranted('notes/described');
      await emma.request('PUT', granted, { headers: { 'content-type': 'text/plain; charset=utf-8' }, body: 'text' });
      const http = 'urn:npm:solid:community-server:http:';
      const statements = [
        `<${http}location> "https://evil.example/", "b"`,
        `<${http}unit> "bytes"`,
        `<${http}accountCookie> "planted"`,
        '<urn:css-data-sharing:http:retryAfter> "5"',
        '<urn:npm:solid:community-server:meta:template> <x:/../../template.ejs>',
      ];
      const patched = await emma.request('PATCH', `${granted}.meta`, {
        headers: { 'content-type': 'application/sparql-update' },
        body: `INSERT DATA { <${granted}> ${statements.join('; ')}; <https://example.org/p> "kept" }`,
      });
      expect(patched.status).toBe(205);
      const response = await emma.request('GET', granted);
      expect(response.status).toBe(200);
      expect(response.headers.get('content-type')).toBe('text/plain; charset=utf-8');
      expect([ 'location', 'set-cookie', 'content-range', 'retry-after' ]
        .filter((name): boolean => response.headers.has(name))).toEqual([]);
      const described = await (await emma.request('GET', `${granted}.meta`)).text();
      expect(described).toContain('kept');
      expect(described).not.toContain('evil.example');
    });

    it.each([
      [ '"text"' ],
      [ '"x>; rel=\\"acl\\", <https://evil.example/"' ],
      [ '"line\\nbreak"' ],
      [ '_:b' ],
      [ '<https://example.org/\u0442>', 'https://example.org/%D1%82' ],
    ])('have links to IRIs only, whatever their description states: %s.', async(stated, ...linked): Promise<void> => {
      const inbox = 'http://www.w3.org/ns/ldp#inbox';
      const { granted, read } = await readGranted('notes/linked');
      await emma.request('PUT', granted, { headers: { 'content-type': 'text/plain' }, body: 'text' });
      const patched = await emma.request('PATCH', `${granted}.meta`, {
        headers: { 'content-type': 'application/sparql-update' },
        body: `INSERT DATA { <${granted}> a ${stated}; <${inbox}> ${stated} }`,
      });
      expect(patched.status).toBe(205);
      const response = await emma.request('GET', granted);
      expect(response.status).toBe(200);
      const links = response.headers.get('link')!.split(', ');
      expect(links.filter((link): boolean => /acl"|type"|inbox"/u.test(link)).sort()).toEqual([
        `<${granted}.acl>; rel="acl"`,
        '<http://www.w3.org/ns/ldp#Resource>; rel="type"',
        ...linked.flatMap((uri): string[] => [ `<${uri}>; rel="type"`, `<${uri}>; rel="${inbox}"` ]),
      ].sort());
      expect((await read()).status).toBe(200);
      expect((await emma.request('DELETE', granted)).status).toBe(205);
    });

    it.each([ '*/*', 'text/*', '*/plain' ])('have no range of types, such as %s.', async(type): Promise<void> => {
      const { granted } = await readGranted('notes/range');
      const headers = { 'content-type': type };
      expect((await emma.request('PUT', granted, { headers, body: 'text' })).status).toBe(415);
      expect((await emma.request('GET', granted)).status).toBe(404);
    });

    it('include containers, with their current listing.', async(): Promise<void> => {
      const { granted, read } = await readGranted('lists/');
      const headers = { 'content-type': 'text/plain' };
      await emma.request('PUT', `${granted}one.txt`, { headers, body: 'one' });
      const before = await read();
      expect([ before.status, before.headers.get('content-type') ]).toEqual([ 200, 'text/turtle' ]);
      const listing = await before.text();
      expect(before.headers.get('content-length')).toBe(String(Buffer.byteLength(listing)));
      expect(listing).toContain('<one.txt>');
      expect(listing).not.toContain('.ac');
      await emma.request('PUT', `${granted}one.txt`, { headers, body: 'a longer one' });
      expect((await read()).headers.get('etag')).not.toBe(before.headers.get('etag'));
      await expect(problemOf(read('&verified=true'))).resolves.toBe('not-verifiable');
    });

    it('are gone when their container is removed, and their copies are due for deletion.', async(): Promise<void> => {
      const { accessGrant, granted, read } = await readGranted('brief/');
      await emma.request('PUT', `${granted}one.txt`, { headers: { 'content-type': 'text/plain' }, body: 'one' });
      const copies = `${world.base}v1/data-copies`;
      const report = await consumer.request('POST', copies, { body: { resource: granted, accessGrant }});
      await expect(report.json()).resolves.toMatchObject({ status: 'STORED' });
      await emma.request('DELETE', `${granted}one.txt`);
      await emma.request('DELETE', granted);
      await expect(problemOf(read())).resolves.toBe('resource-not-found');
      const due = await consumer.request('GET', `${copies}?status=DELETION_DUE`);
      await expect(due.json()).resolves.toMatchObject({
        dataCopies: [{ resource: granted, deletionReason: 'RESOURCE_ABSENT' }],
      });
    });

    testFreshReads((): TestServer => world.server);
  });
});

/** Caching headers of an answer. */
function keeping({ headers }: Response): unknown[] {
  return [ headers.get('cache-control'), headers.get('vary') ];
}

async function problemOf(response: Promise<Response>): Promise<string | undefined> {
  return ((await (await response).json()) as { type: string }).type.split('/').at(-1);
}
