import type { AccountHolder, TestServer } from '../support/world';
import { accountWithPod, startServer } from '../support/world';

const n3 = { 'content-type': 'text/n3' };
const jsonLd = { 'content-type': 'application/ld+json' };
const solid = '@prefix solid: <http://www.w3.org/ns/solid/terms#>. ';
const context = 'https://www.w3.org/ns/solid/notifications-context/v1';
const channel = 'http://www.w3.org/ns/solid/notifications#WebSocketChannel2023';

/** Demands of the specifications that the stock server does not meet. */
describe('The Solid specifications', (): void => {
  let server: TestServer;
  let alice: AccountHolder;
  let pod: string;

  beforeAll(async(): Promise<void> => {
    server = await startServer();
    alice = await accountWithPod(server.base, 'alice');
    pod = alice.podUrl;
  });

  afterAll(async(): Promise<void> => {
    await server.stop();
  });

  async function send(method: string, path: string, headers = {}, body?: string): Promise<Response> {
    return alice.client.request(method, `${pod}${path}`, { headers, body });
  }

  async function patch(path: string, parts: string): Promise<number> {
    return (await send('PATCH', path, n3, `${solid}_:p a solid:InsertDeletePatch; ${parts}.`)).status;
  }

  it.each([ 'GET', 'HEAD', 'OPTIONS' ])('have %s name the description of storages.', async(method): Promise<void> => {
    const link = `<${pod}.well-known/solid>; rel="http://www.w3.org/ns/solid/terms#storageDescription"`;
    for (const path of [ '', 'profile/card', 'profile/card.meta' ]) {
      expect((await send(method, path)).headers.get('link')).toContain(link);
    }
  });

  it('have no Content-Length in responses to OPTIONS.', async(): Promise<void> => {
    for (const path of [ 'alice/', '', '.account/', '.oidc/token', 'v1/webids', '.well-known/solid', '.health/live' ]) {
      const url = server.base + path;
      const { headers, status } = await fetch(url, { method: 'OPTIONS', headers: { origin: 'https://app.example' }});
      expect([ url, status, headers.get('content-length') ]).toEqual([ url, 204, null ]);
    }
  });

  it('name no storage for places around all storages.', async(): Promise<void> => {
    expect((await fetch(server.base, { method: 'OPTIONS' })).headers.get('link')).toBeNull();
    expect((await fetch(`${server.base}.account/`, { method: 'OPTIONS' })).headers.get('link')).toBeNull();
  });

  it('let apps read all headers of responses.', async(): Promise<void> => {
    const { headers } = await send('GET', '', { origin: 'https://app.example' });
    const exposed = headers.get('access-control-expose-headers')!.toLowerCase().split(',');
    const ofConnection = new Set([ 'connection', 'keep-alive', 'transfer-encoding' ]);
    // https://fetch.spec.whatwg.org/#cors-safelisted-response-header-name
    const safe = new Set([ 'cache-control', 'content-language', 'content-length', 'content-type', 'expires' ]);
    const names = Object.keys(Object.fromEntries(headers as unknown as Iterable<[string, string]>));
    const hidden = names.filter((name): boolean => !exposed.includes(name) && !safe.has(name) &&
      !ofConnection.has(name) && !name.startsWith('access-control-'));
    expect(hidden).toEqual([]);
  });

  it.each<object>([{}, { slug: 'name' }])('have a POST to a document be 405: %j.', async(headers): Promise<void> => {
    for (const path of [ 'profile/card', 'profile/card.acl' ]) {
      const { status } = await send('POST', path, { ...headers, 'content-type': 'text/plain' }, 'text');
      expect([ path, status ]).toEqual([ path, 405 ]);
    }
  });

  it.each([
    [ 'an IRI', 'solid:inserts <#a>' ],
    [ 'a text', 'solid:deletes "a"' ],
    [ 'a list', 'solid:where (1), (2)' ],
    [ 'a formula in a formula', 'solid:where { <#a> <urn:p> { <#b> <urn:p> 1 } }; solid:inserts { <#c> <urn:p> 1 }' ],
  ])('have patches be 422 with %s for a part.', async(_, parts): Promise<void> => {
    await expect(patch('patched.ttl', parts)).resolves.toBe(422);
    expect((await send('GET', 'patched.ttl')).status).toBe(404);
  });

  it('have the server protect what a listing says about members.', async(): Promise<void> => {
    await send('PUT', 'box/note.txt', { 'content-type': 'text/plain' }, 'text');
    const before = await (await send('GET', 'box/')).text();
    for (const statement of [
      '<note.txt> <http://www.w3.org/ns/posix/stat#size> 5',
      '<note.txt> <http://www.w3.org/ns/posix/stat#mtime> 5',
      '<absent/> <http://purl.org/dc/terms/modified> "2020-01-01T00:00:00Z"',
      '<note.txt> a <http://www.w3.org/ns/iana/media-types/text/html#Resource>',
    ]) {
      await expect(patch('box/.meta', `solid:inserts { ${statement}. }`)).resolves.toBe(409);
    }
    await expect((await send('GET', 'box/')).text()).resolves.toBe(before);
    const others = '<note.txt> <urn:p> 1; a <urn:T>. <note.txt#it> <http://purl.org/dc/terms/modified> 1';
    await expect(patch('box/.meta', `solid:inserts { ${others}. }`)).resolves.toBe(205);
    await expect(patch('box/note.txt.meta', `solid:inserts { <urn:a> <http://www.w3.org/ns/posix/stat#size> 5. }`))
      .resolves.toBe(205);
  });

  it.each([
    [ true, 'rel="TYPE"' ],
    [ true, 'REL=type' ],
    [ true, 'rel = "type"' ],
    [ true, 'rel="https://example.org/other  Type"' ],
    [ true, 'title="; rel=other"; rel=type' ],
    [ false, 'rel="other"; rel="type"' ],
    [ false, 'rel="types"' ],
    [ false, 'rel="type"; anchor="#other"' ],
    [ false, 'rel="constructor"' ],
    [ false, 'rel' ],
  ])('have a POST make a container, %s, with a link of %s.', async(isContainer, parameters): Promise<void> => {
    const link = `<http://www.w3.org/ns/ldp#BasicContainer>; ${parameters}`;
    const { headers, status } = await send('POST', '', { link, 'content-type': 'text/turtle' }, '');
    expect([ status, headers.get('location')?.endsWith('/') ]).toEqual([ 201, isContainer ]);
  });

  it.each([
    [ 'text/turtle', '<> <http://www.w3.org/ns/ldp#contains> <absent.txt>.' ],
    [ 'text/turtle', '<absent.txt> <http://www.w3.org/ns/posix/stat#size> 5.' ],
    [ 'application/ld+json', '{ "@id": "", "http://www.w3.org/ns/ldp#contains": { "@id": "absent.txt" } }' ],
  ])('have a PUT of a container that states members be 409: %s, %s.', async(type, body): Promise<void> => {
    expect((await send('PUT', 'stated/', { 'content-type': type }, body)).status).toBe(409);
    expect((await send('GET', 'stated/')).status).toBe(404);
  });

  it.each<[string, string]>([
    [ 'text/turtle', '<> <urn:p> 1. <other/> <http://www.w3.org/ns/ldp#contains> <a>.' ],
    [ 'text/turtle', 'no Turtle <' ],
    [ 'application/ld+json', '{ "@context": "http://127.0.0.1/", "@id": "" }' ],
    [ 'image/png', 'an image' ],
    [ 'text/turtle', '' ],
  ])('have a PUT of a container ignore other bodies: %s, %s.', async(type, body): Promise<void> => {
    const { headers, status } = await send('PUT', `ignored-${body.length}/`, { 'content-type': type }, body);
    expect([ status, headers.get('location') ]).toEqual([ 201, `${pod}ignored-${body.length}/` ]);
  });

  it('have a PUT of a container with a large body be 413.', async(): Promise<void> => {
    const text = '#'.repeat(1024 * 1024 + 1);
    expect((await send('PUT', 'large/', { 'content-type': 'text/turtle' }, text)).status).toBe(413);
  });

  it.each([ '2000-01-01T00:00:00Z', '946684800', 'Sat, 1 Jan 2000 00:00:00 +0000' ])(
    'have conditions with dates that HTTP does not have be ignored: %s.',
    async(date): Promise<void> => {
      for (const path of [ '', 'profile/card', 'profile/card.acl', 'profile/card.meta' ]) {
        const later = date.replace('2000', '2090').replace('946684800', '9999999999');
        expect((await send('GET', path, { 'if-unmodified-since': date })).status).toBe(200);
        expect((await send('GET', path, { 'if-modified-since': later })).status).toBe(200);
      }
    },
  );

  it('have one of many clients make a resource with If-None-Match.', async(): Promise<void> => {
    for (const [ path, refused ] of [[ 'first.ttl', 412 ], [ 'first/', 409 ]] as const) {
      const made = await Promise.all(Array.from({ length: 20 }, async(): Promise<number> =>
        (await send('PUT', path, { 'content-type': 'text/turtle', 'if-none-match': '*' }, '')).status));
      expect(made.filter((status): boolean => status === 201)).toHaveLength(1);
      expect(made.filter((status): boolean => status === refused)).toHaveLength(19);
    }
  });

  it.each([ 'PUT', 'PATCH' ])('name no method that is refused, for subscriptions neither: %s.', async(method):
  Promise<void> => {
    const url = `${server.base}.notifications/WebSocketChannel2023/`;
    const { headers, status } = await alice.client.request(method, url);
    expect([ status, headers.get('allow')?.split(', ').includes(method) ]).toEqual([ 405, false ]);
  });

  it.each([
    [ 'GET', 'absent.meta', 404, null ],
    [ 'GET', 'absent/.meta', 404, null ],
    [ 'DELETE', 'profile/card.meta', 405, 'OPTIONS, HEAD, GET, PATCH, PUT' ],
    [ 'GET', '/.oidc/absent', 404, null ],
    [ 'GET', '/.account/absent', 404, null ],
    [ 'DELETE', '/.notifications/WebSocketChannel2023/absent', 404, null ],
    [ 'PUT', '/.notifications/WebSocketChannel2023/', 405, 'OPTIONS, HEAD, GET, POST' ],
    [ 'PATCH', '/.notifications/WebSocketChannel2023/', 405, 'OPTIONS, HEAD, GET, POST' ],
  ])('name methods that exist only, in the response to %s %s: %d, %s.', async(method, path, status, allowed):
  Promise<void> => {
    const url = new URL(path, pod).href;
    const { headers, status: answered } = await alice.client.request(method, url);
    expect([ answered, headers.get('allow') ]).toEqual([ status, allowed ]);
    const forms = [ 'patch', 'post', 'put' ].filter((name): boolean => headers.has(`accept-${name}`));
    expect(forms).toEqual(forms.filter((name): boolean => String(allowed).includes(name.toUpperCase())));
  });

  it.each([
    [ 'no RDF', 'a.png', 'image/png', 'x' ],
    [ 'in RDF/XML', 'a.rdf', 'application/rdf+xml', '<rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#"/>' ],
  ])('have patches of documents that are %s be 409.', async(_, name, type, body): Promise<void> => {
    expect((await send('PUT', name, { 'content-type': type }, body)).status).toBe(201);
    await expect(patch(name, 'solid:inserts { <a> <http://e.example/a> 1 }')).resolves.toBe(409);
    await expect((await send('GET', name)).text()).resolves.toBe(body);
  });

  it('exclude formats that the description of a storage does not have: 406.', async(): Promise<void> => {
    for (const method of [ 'GET', 'HEAD' ]) {
      const { headers, status } = await send(method, '.well-known/solid', { accept: 'image/png' });
      expect([ method, status, headers.has('allow') ]).toEqual([ method, 406, false ]);
    }
  });

  it('name the methods of descriptions of storages, and of the rules of roots, in responses with 405.', async():
  Promise<void> => {
    for (const method of [ 'POST', 'PUT', 'DELETE', 'QUERY' ]) {
      const { headers, status } = await send(method, '.well-known/solid', { 'content-type': 'text/turtle' });
      expect([ status, headers.get('allow') ]).toEqual([ 405, 'OPTIONS, HEAD, GET' ]);
    }
    const { headers, status } = await send('QUERY', '.acl');
    expect([ status, headers.get('allow') ]).toEqual([ 405, 'OPTIONS, HEAD, GET, PATCH, PUT' ]);
  });

  async function subscribe(body: object, profile?: string): Promise<{ status: number; type?: string }> {
    const headers = profile ? { 'content-type': `application/ld+json; profile="${profile}"` } : jsonLd;
    const response = await alice.client.request('POST', `${server.base}.notifications/WebSocketChannel2023/`, {
      headers,
      body: JSON.stringify(body),
    });
    return { status: response.status, type: (await response.json() as { type?: string }).type };
  }

  it.each([
    [ context, channel ],
    [ context, 'WebSocketChannel2023' ],
    [ 'https://www.w3.org/ns/solid/notification/v1', 'WebSocketChannel2023' ],
  ])('have subscriptions with the context %s and the type %s.', async(name, type): Promise<void> => {
    await expect(subscribe({ '@context': [ name ], type, topic: pod }))
      .resolves.toEqual({ status: 200, type: channel });
  });

  it.each([
    [ 200, context ],
    [ 200, `http://www.w3.org/ns/json-ld#compacted ${context}` ],
    [ 415, 'https://unknown.example/profile' ],
    [ 415, `${context} https://unknown.example/profile` ],
  ])('have a subscription be %i with the profile %s.', async(status, profile): Promise<void> => {
    await expect(subscribe({ '@context': [ context ], type: channel, topic: pod }, profile))
      .resolves.toMatchObject({ status });
  });

  it.each([ 'Other', 'WebhookChannel2023', 'webSocketChannel2023' ])(
    'have a subscription of the type %s be 422.',
    async(type): Promise<void> => {
      await expect(subscribe({ '@context': [ context ], type, topic: pod })).resolves.toMatchObject({ status: 422 });
    },
  );
});
