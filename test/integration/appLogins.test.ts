import { createAccount, createPod } from '../../demo/lib/accounts';
import { SolidApp } from '../support/SolidApp';
import { json } from '../support/sharingWorld';
import { UserAgent } from '../support/UserAgent';
import type { AccountHolder, Client, TestServer } from '../support/world';
import { accountWithPod, startServer } from '../support/world';

interface ListedApp {
  id: string;
  clientId: string;
  name?: string;
  since: string;
  lastUsedAt: string;
}

describe('The apps that a person is logged in to', (): void => {
  const login = { email: 'ann@example.org', password: 'the long sentence of Ann' };
  let server: TestServer;
  let ann: { webId: string; podUrl: string };
  let bob: AccountHolder;
  let reader: SolidApp;
  let writer: SolidApp;

  beforeAll(async(): Promise<void> => {
    server = await startServer();
    ann = await createPod(await createAccount(server.base, login), 'ann');
    bob = await accountWithPod(server.base, 'bob');
    reader = await SolidApp.register(server.base, 'Reader <b>');
    writer = await SolidApp.register(server.base);
  });

  afterAll(async(): Promise<void> => server?.stop());

  async function list(client: Client): Promise<ListedApp[]> {
    const { apps } = await json<{ apps: ListedApp[] }>(await client.request('GET', `${server.base}v1/apps`));
    return apps;
  }

  async function logOut(client: Client, id: string): Promise<Response> {
    return client.request('DELETE', `${server.base}v1/apps/${id}`);
  }

  async function canRead({ client }: { client: Client }): Promise<number> {
    return (await client.request('GET', ann.podUrl)).status;
  }

  it('are listed once, with their names, and logged out at once, one by one.', async(): Promise<void> => {
    const [ first, second ] = [ await reader.logIn(login), await reader.logIn(login) ];
    const other = await writer.logIn(login);
    const apps = await list(other.client);
    // Times are in seconds: log-ins within one are in any order.
    expect(new Map(apps.map(({ clientId, name }): [string, string | undefined] => [ clientId, name ])))
      .toEqual(new Map([[ writer.clientId, undefined ], [ reader.clientId, 'Reader <b>' ]]));
    expect(apps).toHaveLength(2);
    const { id, lastUsedAt, since } = apps.find(({ clientId }): boolean => clientId === reader.clientId)!;
    expect(Date.parse(since)).toBeLessThanOrEqual(Date.parse(lastUsedAt));
    expect(Math.abs(Date.now() - Date.parse(lastUsedAt))).toBeLessThan(60_000);
    await expect(Promise.all([ first, second, other ].map(canRead))).resolves.toEqual([ 200, 200, 200 ]);

    // Nobody else can log it out.
    await expect(list(bob.client)).resolves.toEqual([]);
    expect((await logOut(bob.client, id)).status).toBe(404);
    await expect(canRead(first)).resolves.toBe(200);

    expect((await logOut(other.client, id)).status).toBe(200);
    await expect(Promise.all([ first, second, other ].map(canRead))).resolves.toEqual([ 401, 401, 200 ]);
    const renewed = await Promise.all([ first, second, other ].map(async({ renew }): Promise<Response> => renew()));
    expect(renewed.map(({ status }): number => status)).toEqual([ 400, 400, 200 ]);
    expect((await list(other.client)).map(({ clientId }): string => clientId)).toEqual([ writer.clientId ]);
    const again = await logOut(other.client, id);
    expect(again.status).toBe(404);
    await expect(again.json()).resolves.toMatchObject({ type: expect.stringContaining('app-not-found') });
  });

  it('can be logged in to again, and log themselves out.', async(): Promise<void> => {
    const app = await reader.logIn(login);
    await expect(canRead(app)).resolves.toBe(200);
    const { id } = (await list(app.client)).find(({ clientId }): boolean => clientId === reader.clientId)!;
    expect((await logOut(app.client, id)).status).toBe(200);
    await expect(canRead(app)).resolves.toBe(401);
  });

  it('need consent again in the browser that has the log-in.', async(): Promise<void> => {
    const browser = new UserAgent(server.base);
    const first = reader.request();
    await browser.follow(first.url);
    const { json: { location }} = await browser.ask<{ location: string }>('.account/login/password/', login);
    const { back } = await reader.consent(browser, location);
    const { client } = await reader.redeem(back, first.verifier);
    const { id } = (await list(client)).find(({ clientId }): boolean => clientId === reader.clientId)!;
    expect((await logOut(client, id)).status).toBe(200);
    const second = reader.request({ prompt: '' });
    const again = await reader.consent(browser, second.url);
    const redeemed = await reader.redeem(again.back, second.verifier);
    await expect(canRead(redeemed)).resolves.toBe(200);
  });

  it('are described to nobody else who has a token of theirs.', async(): Promise<void> => {
    const { refreshToken } = await reader.logIn(login);
    const registered = await fetch(`${server.base}.oidc/reg`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ redirect_uris: [ 'https://other.example/back' ]}),
    });
    const other = await json<Record<'client_id' | 'client_secret', string>>(registered);
    async function introspect(form: Record<string, string>, headers: Record<string, string> = {}): Promise<unknown> {
      const response = await fetch(`${server.base}.oidc/token/introspection`, {
        method: 'POST',
        headers,
        body: new URLSearchParams({ token: refreshToken, ...form }),
      });
      return json(response);
    }
    const basic = Buffer.from(`${other.client_id}:${other.client_secret}`).toString('base64');
    await expect(introspect({}, { authorization: `Basic ${basic}` })).resolves.toEqual({ active: false });
    await expect(introspect({ client_id: reader.clientId })).resolves.toMatchObject({ active: true, sub: ann.webId });
  });
});
