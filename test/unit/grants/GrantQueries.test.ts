import { randomUUID } from 'node:crypto';
import { GrantQueries } from '../../../src/grants/GrantQueries';
import type { GrantFilter, ListedGrant, ListedPage, PageRequest } from '../../../src/grants/GrantStore';
import { BodyInvalid } from '../../../src/problems';
import { parseWebId } from '../../../src/platform/webId';

const baseUrl = 'https://pods.example/';
const caller = parseWebId('https://anna.example/#me');
const now = new Date('2026-03-02T10:00:00Z');
const context = { correlationId: randomUUID() };

/** A grant on a resource, padded to a given length. */
function stored(index: number, padding = 0): ListedGrant {
  const consent = {
    forPersonalData: [ `${baseUrl}anna/r${index % 10}`, `${baseUrl}anna/all` ],
    mode: [ 'http://www.w3.org/ns/auth/acl#Read' ],
    more: 'x'.repeat(padding),
  };
  return {
    id: `g${index}`,
    kind: 'grant',
    issuedAt: new Date(now.getTime() - index),
    document: JSON.stringify({ credentialSubject: { id: caller, providedConsent: consent }}),
  };
}

/** Queries over given grants, and their calls of the store. */
function world(grants: ListedGrant[]): { queries: GrantQueries; read: () => number; walks: () => number } {
  const seen = { rows: 0, walks: 0 };
  const store = {
    findById: async(): Promise<undefined> => undefined,
    list: async(_: GrantFilter, { size, page }: PageRequest): Promise<ListedPage> => {
      const from = Number(page ?? 0);
      seen.walks += Number(page === undefined);
      const some = grants.slice(from, from + size);
      seen.rows += some.length;
      return { grants: some, ...from + size < grants.length && { next: String(from + size) }};
    },
  };
  const audit = { enqueue: jest.fn() };
  const queries = new GrantQueries({ grants: store, audit, baseUrl, now: (): Date => now });
  return { queries, read: (): number => seen.rows, walks: (): number => seen.walks };
}

function example(consent: object, type: unknown = [ 'VerifiableCredential' ]): object {
  return { type, credentialSubject: { providedConsent: consent }};
}

function request(examples: object[]): object {
  return { type: 'QueryByExample', credentialQuery: examples.map((one): object => ({ example: one })) };
}

describe('Queries for access credentials', (): void => {
  it('search once for equal examples, however they are written.', async(): Promise<void> => {
    const { queries, read, walks } = world(Array.from({ length: 1000 }, (_, index): ListedGrant => stored(index)));
    const all = `${baseUrl}anna/all`;
    const found = await queries.deriveAll(request([
      example({ forPersonalData: all, mode: 'Read' }),
      example({ mode: [ 'acl:Read' ], forPersonalData: [ all ]}),
      example({ forPersonalData: [ all, all ], mode: [ 'Read', 'http://www.w3.org/ns/auth/acl#Read' ]}),
      { ...example({ forPersonalData: `${baseUrl}anna/%61ll`, mode: 'Read' }), name: 'ignored' },
    ]), caller, context);
    expect(found).toHaveLength(1000);
    expect([ read(), walks() ]).toEqual([ 1000, 1 ]);
  });

  it('search once for examples that use the same index entry.', async(): Promise<void> => {
    const { queries, walks } = world(Array.from({ length: 100 }, (_, index): ListedGrant => stored(index)));
    const all = `${baseUrl}anna/all`;
    const found = await queries.deriveAll(request([ 1, 2, 3 ].map((index): object =>
      example({ forPersonalData: [ all, `${baseUrl}anna/r${index}` ]}))), caller, context);
    expect(found).toHaveLength(30);
    expect(walks()).toBe(1);
  });

  it('read a limited number for different examples, each of which gets its share.', async(): Promise<void> => {
    const { queries, read } = world(Array.from({ length: 5000 }, (_, index): ListedGrant => stored(index)));
    const found = await queries.deriveAll(request([ 1, 2, 3, 4, 5 ].map((index): object =>
      example({ forPersonalData: `${baseUrl}anna/r${index}` }))), caller, context);
    expect(read()).toBeLessThanOrEqual(2000 + 250);
    for (const index of [ 1, 2, 3, 4, 5 ]) {
      expect(found.some(({ document }): boolean => document.includes(`anna/r${index}"`))).toBe(true);
    }
  });

  it('return at most 2 MiB, whatever the size of the credentials.', async(): Promise<void> => {
    const { queries, read } = world(Array.from({ length: 1000 }, (_, index): ListedGrant => stored(index, 30_000)));
    const found = await queries.derive(example({}), false, caller, context);
    const length = found.reduce((sum, { document }): number => sum + document.length, 0);
    expect(length).toBeLessThan(2.1 * 1024 * 1024);
    expect(length).toBeGreaterThan(1.9 * 1024 * 1024);
    expect(read()).toBeLessThan(200);
    const none = await queries.derive(example({ forPurpose: 'https://none.example/' }), false, caller, context);
    expect(none).toEqual([]);
    expect(read()).toBeLessThan(400);
    const page = await queries.query({}, { size: 100 }, caller, context);
    expect(page.grants).toHaveLength(50);
    expect(page.next).toBe('50');
  });

  it('yield to other work.', async(): Promise<void> => {
    const { queries } = world(Array.from({ length: 1000 }, (_, index): ListedGrant => stored(index)));
    let turns = 0;
    const timer = setInterval((): unknown => turns += 1, 0);
    await queries.derive(example({}), false, caller, context);
    clearInterval(timer);
    expect(turns).toBeGreaterThan(0);
  });

  it('compare repeated values of an example once.', async(): Promise<void> => {
    const { queries } = world(Array.from({ length: 1000 }, (_, index): ListedGrant => stored(index)));
    const values = Array.from({ length: 20_000 }, (): string => `${baseUrl}anna/all`);
    await expect(queries.derive(example({ forPersonalData: values }), false, caller, context)).resolves
      .toHaveLength(1000);
    const others = Array.from({ length: 2000 }, (_, index): string => `${baseUrl}anna/other${index}`);
    await expect(queries.derive(example({ forPersonalData: others }), false, caller, context)).resolves.toEqual([]);
  });

  it('need one to five examples.', async(): Promise<void> => {
    const { queries } = world([]);
    for (const examples of [[], Array.from({ length: 6 }, (): object => example({})) ]) {
      await expect(queries.deriveAll(request(examples), caller, context)).rejects.toBeInstanceOf(BodyInvalid);
    }
  });
});
