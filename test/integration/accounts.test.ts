import { randomUUID } from 'node:crypto';
import { readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { createAccount, createClientCredentials, createPod, logInToAccount } from '../../demo/lib/accounts';
import type { Account } from '../../demo/lib/accounts';
import { openRecords } from '../../src/storage/openRecords';
import type { AccountHolder, TestServer } from '../support/world';
import { accountWithPod, startServer } from '../support/world';

interface Jwks {
  keys: { kid: string; d?: string }[];
}

/** Accounts of the server beneath: their secrets, log-ins and ends. */
describe('Accounts of the server', (): void => {
  const email = 'holder@example.org';
  const password = 'a long enough sentence 1';
  let server: TestServer;
  let account: Account;
  let webId: string;
  let credentials: { id: string; secret: string };
  let holder: AccountHolder;

  beforeAll(async(): Promise<void> => {
    server = await startServer();
    account = await createAccount(server.base, { email, password });
    ({ webId } = await createPod(account, 'holder'));
    credentials = await createClientCredentials(account, webId);
    holder = await accountWithPod(server.base, 'neighbour');
  });

  afterAll(async(): Promise<void> => {
    await server?.stop();
  });

  /** All that a thief has who did not get `--keys`. */
  async function stolenCopy(): Promise<string> {
    const values = await server.stored.values();
    const records = await server.stored.records();
    return [ ...values, ...records.map((bytes): string => bytes.toString('latin1')) ].join('\n');
  }

  describe('in a copy of everything but the keys', (): void => {
    it('leave no private key of the identity provider.', async(): Promise<void> => {
      const copy = await stolenCopy();
      expect(copy).not.toMatch(/"d"\s*:/u);
      const keys = await openKeys();
      const [ signing ] = await keys.signing();
      expect(copy).not.toContain(signing.d);
      for (const cookie of await keys.cookies()) {
        expect(copy).not.toContain(cookie);
      }
    });

    it('leave no session, secret, password or address.', async(): Promise<void> => {
      const { authorization } = await logInToAccount(server.base, { email, password });
      const copy = `${await stolenCopy()}\n${(await server.stored.valueNames()).join('\n')}`;
      const cookies = [ account, { authorization }].map(({ authorization: text }): string => text.split(' ')[1]);
      for (const secret of [ ...cookies, credentials.secret, credentials.id, holder.credentials.secret, email, '$2' ]) {
        expect(copy).not.toContain(secret);
        expect(copy).not.toContain(encodeURIComponent(secret));
      }
    });

    it('leave no token, code or client secret of apps.', async(): Promise<void> => {
      const registered = await (await fetch(`${server.base}.oidc/reg`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ redirect_uris: [ 'http://localhost:1/cb' ], client_name: 'An app' }),
      })).json() as Record<string, string>;
      const copy = `${await stolenCopy()}\n${(await server.stored.valueNames()).join('\n')}`;
      expect(registered.client_id).toEqual(expect.any(String));
      for (const member of [ 'client_id', 'client_secret', 'registration_access_token' ]) {
        expect(copy).not.toContain(registered[member]);
      }
    });

    it('leave files that nobody else on the machine can read.', async(): Promise<void> => {
      const pods = join(server.folder, 'pods');
      const names = await readdir(pods, { recursive: true });
      expect(names.length).toBeGreaterThan(0);
      const open = await Promise.all(names.map(async(name): Promise<string[]> =>
        ((await stat(join(pods, name))).mode & 0o077) === 0 ? [] : [ name ]));
      expect(open.flat()).toEqual([]);
    });
  });

  interface OpenKeys {
    signing: () => Promise<{ d: string }[]>;
    cookies: () => Promise<string[]>;
    rotate: () => Promise<void>;
  }

  async function withRecords<T>(work: (open: Awaited<ReturnType<typeof openRecords>>) => Promise<T>): Promise<T> {
    const open = await openRecords({
      records: server.stored.place,
      keys: join(server.folder, 'keys'),
      existing: true,
      clock: (): Date => new Date(),
      newId: randomUUID,
      logger: console,
    });
    try {
      return await work(open);
    } finally {
      await open.close();
    }
  }

  async function openKeys(): Promise<OpenKeys> {
    async function read(name: 'cookies' | 'signing'): Promise<string[]> {
      return withRecords(async({ serverSecrets }): Promise<string[]> =>
        (await serverSecrets.get(name, async(): Promise<never> => {
          throw new Error('There is none');
        })).map(String));
    }
    return {
      signing: async(): Promise<{ d: string }[]> =>
        (await read('signing')).map((text): { d: string } => JSON.parse(text) as { d: string }),
      cookies: async(): Promise<string[]> => read('cookies'),
      rotate: async(): Promise<void> => withRecords(async({ rotation }): Promise<void> =>
        rotation.rotateProvider('tester')),
    };
  }

  it('keep their tokens when the keys of the identity provider are replaced.', async(): Promise<void> => {
    const jwks = `${server.base}.oidc/jwks`;
    const before = await (await fetch(jwks)).json() as Jwks;
    await (await openKeys()).rotate();
    let after = before;
    for (let looks = 0; looks < 300 && after.keys.length === before.keys.length; looks += 1) {
      after = await (await fetch(jwks)).json() as Jwks;
      await new Promise((resolve): unknown => setTimeout(resolve, 100));
    }
    expect(after.keys).toHaveLength(before.keys.length + 1);
    expect(after.keys.map(({ kid }): string => kid)).toEqual(expect.arrayContaining([ before.keys[0].kid ]));
    expect(after.keys.some(({ d }): boolean => d !== undefined)).toBe(false);
    expect((await holder.client.request('GET', holder.podUrl)).status).toBe(200);
  });
});
