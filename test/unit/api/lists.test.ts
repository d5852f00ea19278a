import type { ListedContract } from '../../../src/contracts/ContractListing';
import type { DataType, I18nString } from '../../../src/data-types/DataType';
import type { RunningApi } from '../http/server';
import { startApi } from '../http/server';

const ids = [ 'a', 'a-b', 'a.b', 'b', 'ça' ];

interface Page {
  contracts?: { id: string }[];
  dataTypes?: { uri: string; source?: I18nString[] }[];
  next: string | null;
}

/** Cursors that this server never returned. */
const hostile = [
  'x',
  '%00',
  'W10',
  encode('[]'),
  encode('[1]'),
  encode('["a","b"]'),
  encode('{"0":"a"}'),
  encode('null'),
  encode('["a"] '),
  encode('["\\u0061"]'),
  'a'.repeat(513),
];

function encode(text: string): string {
  return Buffer.from(text).toString('base64url');
}

describe('Public lists', (): void => {
  let running: RunningApi;

  beforeAll(async(): Promise<void> => {
    running = await startApi({
      sources: { nameOf: (iri): I18nString[] | undefined =>
        iri === 'b' ? [{ value: 'Education Register', language: 'en' }] : undefined },
      contractListing: { list: async(): Promise<ListedContract[]> => ids.map((id): never => ({ id }) as never) },
      dataTypes: { list: (): DataType[] => [ ...ids ].reverse().map((iri): never =>
        ({ iri, slug: iri, labels: [], turtle: 'not here', targetClass: 'c' }) as never) },
    });
  });

  afterAll(async(): Promise<void> => running.stop());

  async function walk(path: string, limit: number): Promise<string[][]> {
    const pages: string[][] = [];
    let next: string | null = `${path}?limit=${limit}`;
    while (next) {
      const reply = await running.call('GET', next.replace('https://pods.example', ''));
      expect(reply.status).toBe(200);
      const { contracts, dataTypes, next: following } = reply.json() as Page;
      pages.push(contracts?.map(({ id }): string => id) ?? dataTypes!.map(({ uri }): string => uri));
      next = following;
    }
    return pages;
  }

  it('have the name of the source of a data type, if it has one.', async(): Promise<void> => {
    const { dataTypes } = (await running.call('GET', '/v1/data-types')).json() as Required<Page>;
    expect(dataTypes.filter(({ source }): boolean => source !== undefined)).toEqual([
      { uri: 'b', labels: [], source: [{ value: 'Education Register', language: 'en' }]},
    ]);
  });

  describe.each([ '/v1/contracts', '/v1/data-types' ])('at %s', (path): void => {
    it('come in pages, each entry once.', async(): Promise<void> => {
      await expect(walk(path, 2)).resolves.toEqual([[ 'a', 'a-b' ], [ 'a.b', 'b' ], [ 'ça' ]]);
      await expect(walk(path, 5)).resolves.toEqual([ ids ]);
      await expect(walk(path, 200)).resolves.toEqual([ ids ]);
    });

    it('continue after an entry that is gone.', async(): Promise<void> => {
      const reply = await running.call('GET', `${path}?cursor=${encode('["a-a"]')}&limit=1`);
      expect(JSON.stringify(reply.json())).toContain('"a-b"');
    });

    it.each(hostile)('refuse the cursor %j.', async(cursor): Promise<void> => {
      const reply = await running.call('GET', `${path}?cursor=${cursor}`);
      expect(reply.status).toBe(400);
      expect(reply.json()).toMatchObject({ detail: expect.stringContaining('cursor') });
    });

    const wrong = [ 'limit=0', 'limit=201', 'limit=x', 'limit=1&limit=2', 'limt=10' ];

    it.each(wrong)('refuse %s.', async(query): Promise<void> => {
      const reply = await running.call('GET', `${path}?${query}`);
      expect(reply.status).toBe(400);
      expect(reply.json()).toMatchObject({ detail: expect.stringContaining(query.split('=')[0]) });
    });

    it('are not sent again to a client that keeps them.', async(): Promise<void> => {
      const { headers } = await running.call('GET', path);
      expect(headers).toMatchObject({ 'cache-control': 'public, max-age=60', 'content-type': 'application/json' });
      const again = await running.call('GET', path, { headers: { 'if-none-match': headers.etag }});
      expect([ again.status, again.text ]).toEqual([ 304, '' ]);
    });

    it('allow no other methods.', async(): Promise<void> => {
      for (const method of [ 'POST', 'PUT', 'DELETE' ]) {
        const { status, headers } = await running.call(method, path);
        expect([ status, headers.allow ]).toEqual([ 405, 'GET, HEAD, OPTIONS' ]);
      }
    });
  });

  it('are linked from the index.', async(): Promise<void> => {
    const { headers, json } = await running.call('GET', '/v1');
    expect(json()).toMatchObject({
      contracts: 'https://pods.example/v1/contracts',
      dataTypes: 'https://pods.example/v1/data-types',
    });
    expect(headers.link).toBe('<https://pods.example/v1/openapi.json>; rel="service-desc", ' +
      '<https://pods.example/v1/docs>; rel="service-doc"');
  });
});
