/* eslint-disable jest/no-export, jest/require-top-level-describe -- called within the describe block of a server */
import { parseWebId } from '../../src/platform/webId';
import { issueGrant } from './issueGrant';
import type { AccountHolder, TestServer } from './world';
import { accountWithPod } from './world';
import { array, assert, asyncProperty, constantFrom, record } from './properties';

const names = [ 'a', 'b', 'report.ttl' ];
const types = [ 'application/ld+json', 'text/turtle', 'text/plain', 'application/x-of-nobody' ];
const validators = [ 'etag', 'last-modified', 'content-type' ];

/** A change of a resource by its owner. */
interface Change {
  does: 'remove' | 'write';
  name: string;
  type: string;
  bytes: number;
}

const change = record<Change>({
  does: constantFrom('write', 'write', 'write', 'remove'),
  name: constantFrom(...names),
  type: constantFrom(...types),
  bytes: constantFrom(1, 2048, 100_000, 2_500_000),
});

/**
 * Tests for any running server: reads with a grant return the same as the server itself, also after changes.
 *
 * @param running - Returns the running server.
 */
export function testFreshReads(running: () => Pick<TestServer, 'base' | 'folder'>): void {
  let server: Pick<TestServer, 'base' | 'folder'>;
  let alice: AccountHolder;
  let bob: AccountHolder;
  let grant: string;
  let written = 0;

  beforeAll(async(): Promise<void> => {
    server = running();
    alice = await accountWithPod(server.base, 'fresh-alice');
    bob = await accountWithPod(server.base, 'fresh-bob');
    grant = await issueGrant(server, {
      subject: parseWebId(alice.webId),
      recipient: parseWebId(bob.webId),
      modes: [ 'Read' ],
      resources: [ uriOf('') ],
      inherit: true,
    });
  });

  function uriOf(name: string): string {
    return `${alice.podUrl}files/${name}`;
  }

  async function read(uri: string, headers: Record<string, string> = {}): Promise<Response> {
    const url = `${server.base}v1/resources?resource=${encodeURIComponent(uri)}`;
    return bob.client.request('GET', url, { headers: { 'x-access-grant': grant, ...headers }});
  }

  async function write(name: string, body: string, type = 'text/plain'): Promise<void> {
    const response = await alice.client.request('PUT', uriOf(name), { headers: { 'content-type': type }, body });
    expect([ 201, 205 ]).toContain(response.status);
  }

  async function make({ bytes, does, name, type }: Change): Promise<void> {
    written += 1;
    if (does === 'write') {
      await write(name, String(written).padEnd(bytes, '.'), type);
    } else {
      await alice.client.request('DELETE', uriOf(name));
    }
  }

  test('returns what the owner gets from the server, after every change.', async(): Promise<void> => {
    await assert(asyncProperty(array(change, { minLength: 1, maxLength: 5 }), async(changes): Promise<void> => {
      for (const one of changes) {
        await make(one);
        const own = await alice.client.request('GET', uriOf(one.name));
        await expect(seen(await read(uriOf(one.name)))).resolves.toEqual(await seen(own));
      }
    }), { numRuns: 6 });
  });

  test('never returns part of a version, and returns the newest as soon as it is written.', async(): Promise<void> => {
    const indexes = [ ...Array.from({ length: 20 }).keys() ];
    const versions = indexes.map((index): string => String(index).padStart(300_000, '-'));
    await write('a', versions[0]);
    const writing = new AbortController();
    const bodies = new Set<string>();
    async function readOn(): Promise<void> {
      while (!writing.signal.aborted) {
        bodies.add(await (await read(uriOf('a'))).text());
      }
    }
    const readers = [ readOn(), readOn() ];
    for (const version of versions) {
      await write('a', version);
      expect(brief(await (await read(uriOf('a'))).text())).toBe(brief(version));
    }
    writing.abort();
    await Promise.all(readers);
    expect(versions.map(brief)).toEqual(expect.arrayContaining([ ...bodies ].map(brief)));
  });

  test('applies conditions and ranges to the tag.', async(): Promise<void> => {
    await write('b', 'first');
    const etag = (await read(uriOf('b'))).headers.get('etag')!;
    await expect(read(uriOf('b'), { 'if-none-match': etag })).resolves.toMatchObject({ status: 304 });
    await expect(read(uriOf('b'), { 'if-match': '"another"' })).resolves.toMatchObject({ status: 412 });
    const part = await read(uriOf('b'), { range: 'bytes=1-2' });
    expect(part.status).toBe(206);
    await expect(part.text()).resolves.toBe('ir');
  });
}

/** Enough of a body to distinguish it from others. */
function brief(body: string): string {
  return `${body.length} characters to ${body.slice(-3)}`;
}

/** Parts that must be the same in both kinds of reads. */
async function seen(response: Response): Promise<object> {
  const told = validators.map((name): string | null => response.headers.get(name));
  return response.ok ? { told, text: await response.text() } : { status: response.status };
}
