import { Parser } from 'n3';
import { accessRules } from '../support/accessRules';
import { presets } from '../support/presets';
import type { AccountHolder, TestServer } from '../support/world';
import { accountWithPod, startServer } from '../support/world';

const turtle = { 'content-type': 'text/turtle' };
const plain = { 'content-type': 'text/plain; charset=utf-8' };

/** Selects what clients state: in the tests, by names of their own. */
function ofClients(statements: string[]): string[] {
  return statements.filter((line): boolean => /urn:(?!npm)/u.test(line));
}

/** Selects what the server states, but for times. */
function ofServer(statements: string[]): string[] {
  return statements.filter((line): boolean => !/urn:(?!npm)|modified|mtime/u.test(line));
}

describe.each(presets)('With %s, PUT of a description', (config, isAcp): void => {
  let server: TestServer;
  let alice: AccountHolder;
  let other: AccountHolder;
  let pod: string;

  beforeAll(async(): Promise<void> => {
    server = await startServer({ config });
    alice = await accountWithPod(server.base, 'alice');
    other = await accountWithPod(server.base, 'other');
    pod = alice.podUrl;
    await send('PUT', 'box/note.txt', plain, 'text');
  });

  afterAll(async(): Promise<void> => {
    await server.stop();
  });

  async function send(method: string, path: string, headers = {}, body?: string): Promise<Response> {
    return alice.client.request(method, `${pod}${path}`, { headers, body });
  }

  async function put(path: string, body: string, headers = {}): Promise<number> {
    return (await send('PUT', path, { ...turtle, ...headers }, body)).status;
  }

  async function read(path: string): Promise<string> {
    return (await send('GET', path)).text();
  }

  async function statements(path: string): Promise<string[]> {
    const quads = new Parser({ baseIRI: `${pod}${path}` }).parse(await read(path));
    return quads.map(({ object, predicate, subject }): string =>
      [ subject, predicate, object ].map(({ termType, value }): string =>
        termType === 'BlankNode' ? '_' : value.replace(pod, '/')).join(' ')).sort();
  }

  it.each([
    [ 'box/note.txt.meta', '/box/note.txt' ],
    [ 'box/.meta', '/box/' ],
    [ '.meta', '/' ],
  ])('replaces what clients state in %s, and nothing else.', async(path, subject): Promise<void> => {
    const before = await statements(path);
    await expect(put(path, `<${pod}${subject.slice(1)}> <urn:p> 1, 2; <urn:q> [ <urn:r> 3 ].`)).resolves.toBe(205);
    const after = await statements(path);
    const stated = [ `${subject} urn:p 1`, `${subject} urn:p 2`, `${subject} urn:q _`, '_ urn:r 3' ];
    expect(ofClients(after)).toEqual(stated.sort());
    expect(ofServer(after)).toEqual(ofServer(before));
    // A client may send back what it has read.
    await expect(put(path, `${await read(path)} <> <urn:own> 4.`)).resolves.toBe(205);
    const again = await statements(path);
    expect(ofServer(again)).toEqual(ofServer(before));
    expect(ofClients(again)).toEqual([ ...stated, `/${path} urn:own 4` ].sort());
    const json = await (await send('GET', path, { accept: 'application/ld+json' })).text();
    expect((await send('PUT', path, { 'content-type': 'application/ld+json' }, json)).status).toBe(205);
    await expect(statements(path).then(ofServer)).resolves.toEqual(ofServer(before));
    await expect(put(path, '')).resolves.toBe(205);
    await expect(statements(path).then(ofClients)).resolves.toEqual([]);
  });

  it('keeps the media type and the content of its resource.', async(): Promise<void> => {
    await expect(put('box/note.txt.meta', '')).resolves.toBe(205);
    const response = await send('GET', 'box/note.txt');
    expect(response.headers.get('content-type')).toBe(plain['content-type']);
    await expect(response.text()).resolves.toBe('text');
  });

  it.each([
    [ 'box/note.txt.meta', '<note.txt> <http://purl.org/dc/terms/modified> "2020-01-01T00:00:00Z"' ],
    [ 'box/note.txt.meta', '<note.txt> <http://www.w3.org/ns/posix/stat#size> 5' ],
    [ 'box/note.txt.meta', '<note.txt> <http://www.w3.org/ns/ma-ont#format> "text/html"' ],
    [ 'box/note.txt.meta', '<note.txt> a <http://www.w3.org/ns/pim/space#Storage>' ],
    [ 'box/.meta', '<./> a <http://www.w3.org/ns/pim/space#Storage>' ],
    [ 'box/.meta', '<./> <http://www.w3.org/ns/ldp#contains> <absent>' ],
    [ 'box/.meta', '<note.txt> <http://www.w3.org/ns/posix/stat#size> 5' ],
    [ 'absent.meta', '<absent> <urn:p> 1' ],
  ])('of %s is 409 with %s.', async(path, statement): Promise<void> => {
    const before = path === 'absent.meta' ? [] : await statements(path);
    await expect(put(path, `${statement}.`)).resolves.toBe(409);
    expect(path === 'absent.meta' ? [] : await statements(path)).toEqual(before);
  });

  it('keeps the media type of a resource whose description claims another by parameters.', async(): Promise<void> => {
    await expect(put('box/note.txt.meta', `<note.txt> <urn:npm:solid:community-server:meta:contentTypeParameter> _:p.
      _:p <http://www.w3.org/2000/01/rdf-schema#label> "x"; <urn:npm:solid:community-server:meta:value> "y".`))
      .resolves.toBe(205);
    expect((await send('GET', 'box/note.txt')).headers.get('content-type')).toBe(plain['content-type']);
  });

  it.each([
    [ 400, 'text/turtle', '<' ],
    [ 400, 'application/trig', '<urn:g> { <urn:a> <urn:p> 1 }' ],
    [ 413, 'text/turtle', '#'.repeat(1024 * 1024 + 1) ],
    [ 415, 'text/plain', 'text' ],
    [ 415, 'image/png', 'text' ],
  ])('is %i with a body of %s.', async(status, type, body): Promise<void> => {
    await expect(put('box/.meta', body, { 'content-type': type })).resolves.toBe(status);
  });

  it('and patches of one are 422 when they make it large.', async(): Promise<void> => {
    const sparql = { 'content-type': 'application/sparql-update' };
    async function patch(path: string, statement: string): Promise<number> {
      return (await send('PATCH', path, sparql, `INSERT DATA { ${statement} }`)).status;
    }
    const numbers = Array.from({ length: 2000 }, (_, at): number => at);
    for (const path of [ 'box/note.txt.meta', 'box/.meta' ]) {
      await expect(put(path, `<> <urn:p> ${numbers.join(', ')}, 2000.`)).resolves.toBe(422);
      await expect(put(path, `<> <urn:p> ${numbers.slice(30).join(', ')}.`)).resolves.toBe(205);
      await expect(patch(path, `<> <urn:p> ${numbers.slice(0, 30).join(', ')}`)).resolves.toBe(422);
      await expect(put(path, `<> <urn:p> "${'p'.repeat(600_000)}".`)).resolves.toBe(205);
      await expect(patch(path, `<> <urn:p> "${'q'.repeat(600_000)}"`)).resolves.toBe(422);
      await expect(put(path, '')).resolves.toBe(205);
    }
  });

  it('is 400 without a media type.', async(): Promise<void> => {
    expect((await send('PUT', 'box/.meta')).status).toBe(400);
  });

  it('meets conditions.', async(): Promise<void> => {
    const path = 'box/note.txt.meta';
    const tag = (await send('GET', path)).headers.get('etag')!;
    await expect(put(path, '', { 'if-none-match': '*' })).resolves.toBe(412);
    await expect(put(path, '', { 'if-match': '"other"' })).resolves.toBe(412);
    await expect(put(path, '', { 'if-match': tag })).resolves.toBe(205);
    await expect(put(path, '<> <urn:p> 1.', { 'if-match': tag })).resolves.toBe(412);
    await expect(put(path, '', { 'if-match': '*' })).resolves.toBe(205);
  });

  it('is supported, and neither POST nor DELETE is.', async(): Promise<void> => {
    for (const path of [ 'box/.meta', 'box/note.txt.meta', 'absent.meta' ]) {
      const status = path === 'absent.meta' ? 404 : 405;
      expect((await send('POST', path, turtle)).status).toBe(status);
      expect((await send('DELETE', path)).status).toBe(status);
    }
  });

  it('is in Allow, and DELETE is not.', async(): Promise<void> => {
    for (const path of [ 'box/.meta', 'box/note.txt.meta' ]) {
      for (const method of [ 'GET', 'HEAD', 'OPTIONS', 'QUERY', 'DELETE' ]) {
        const { headers } = await send(method, path);
        expect(headers.get('allow')!.split(', ').sort()).toEqual([ 'GET', 'HEAD', 'OPTIONS', 'PATCH', 'PUT' ]);
        expect(headers.get('accept-put')).toContain('text/turtle');
      }
    }
  });

  it('needs Write on the resource.', async(): Promise<void> => {
    const before = await statements('box/note.txt.meta');
    const rules = `box/note.txt${isAcp ? '.acr' : '.acl'}`;
    async function putWith(modes: string): Promise<number> {
      const body = accessRules(isAcp, `${pod}box/note.txt`, alice.webId, modes);
      expect((await send('PUT', rules, turtle, body)).status).toBeLessThan(300);
      const changed = { headers: turtle, body: '<note.txt> <urn:of> "other".' };
      return (await other.client.request('PUT', `${pod}box/note.txt.meta`, changed)).status;
    }
    await expect(putWith('acl:Read')).resolves.toBe(403);
    await expect(putWith('acl:Read, acl:Append')).resolves.toBe(403);
    await expect(statements('box/note.txt.meta')).resolves.toEqual(before);
    await expect(putWith('acl:Write')).resolves.toBe(205);
    await expect(read('box/note.txt.meta')).resolves.toContain('urn:of');
  });
});
