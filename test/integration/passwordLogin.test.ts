import { createAccount } from '../../demo/lib/accounts';
import { clientOf } from '../support/callers';
import { describeProvider, LoggingIn, numberClaim, writeProviders } from '../support/nationalLogin';
import { TestIssuer } from '../support/TestIssuer';
import { TestLoginProvider } from '../support/TestLoginProvider';
import type { Visited } from '../support/UserAgent';
import { UserAgent } from '../support/UserAgent';
import type { AccountHolder, TestServer } from '../support/world';
import { accountWithPod, directory, freePort, removeFolder, startServer, temporaryFolder } from '../support/world';

type Controls = Record<'account' | 'html' | 'password', Record<string, string>>;

const { nationalNumber } = directory.findCitizen('emma')!;
const organisation = { email: 'organisation@example.org', password: 'password of organisation' };
const alices = { email: 'alice@example.org', password: 'password of alice' };
const another = { email: 'another@example.org', password: 'another long password' };
const off = expect.stringMatching(/\/v1\/problems\/password-login-off$/u) as unknown;

/** One installation, started with `--passwordLogin others`, then with `nobody`. */
describe('Log-in with a password', (): void => {
  let folder: string;
  let provider: TestLoginProvider;
  let national: TestIssuer;
  let server: TestServer;
  let base: string;
  let alice: AccountHolder;
  /** A browser in which Alice logged in before she was a citizen. */
  let before: UserAgent;
  let restart: (flags: Record<string, string | undefined>) => Promise<TestServer>;

  beforeAll(async(): Promise<void> => {
    [ folder, provider, national ] =
      await Promise.all([ temporaryFolder(), TestLoginProvider.start(), TestIssuer.start() ]);
    const nationalLogin = await writeProviders(folder, [ describeProvider(provider.issuer) ]);
    const port = await freePort();
    restart = async(flags): Promise<TestServer> =>
      startServer({ folder, port, nationalIssuers: [ national.issuer ], flags: { nationalLogin, ...flags }});
    server = await restart({ passwordLogin: 'others' });
    ({ base } = server);
    alice = await accountWithPod(base, 'alice');
    before = new UserAgent(base);
    await logIn(alices, before);
    await createAccount(base, organisation);
  });

  afterAll(async(): Promise<void> => {
    await Promise.all([ server?.stop(), provider?.stop(), national?.stop() ]);
    await removeFolder(folder);
  });

  async function logIn(who: typeof alices, browser = new UserAgent(base)): Promise<Visited> {
    return browser.ask('.account/login/password/', who);
  }

  async function controlsOf(browser: UserAgent): Promise<Controls> {
    return (await browser.ask<{ controls: Controls }>('.account/')).json.controls;
  }

  /** A citizen who logs in at the provider. */
  async function emma(): Promise<UserAgent> {
    const person = new LoggingIn(new UserAgent(base), provider, { [numberClaim]: nationalNumber });
    expect((await person.logIn()).status).toBe(200);
    return person.browser;
  }

  /** Expects that an account has no way to a password. */
  async function expectNoPassword(browser: UserAgent, known: string[]): Promise<void> {
    const { password: { create }} = await controlsOf(browser);
    const { fields, passwordLogins } = (await browser.ask<Record<string, object>>(create)).json;
    expect([ fields, Object.keys(passwordLogins) ]).toEqual([ undefined, known ]);
    const changes = Object.values(passwordLogins as Record<string, string>).map((url): [string, object] =>
      [ url, { oldPassword: alices.password, newPassword: another.password }]);
    for (const [ url, body ] of [ [ create, another ] as const, ...changes ]) {
      await expect(browser.ask(url, body)).resolves.toMatchObject({ status: 403, json: { type: off }});
    }
  }

  describe('is switched off for citizens: `others`', (): void => {
    let citizen: Awaited<ReturnType<typeof clientOf>>;

    beforeAll(async(): Promise<void> => {
      const listed = await alice.client.request('PATCH', alice.webId, {
        headers: { 'content-type': 'application/sparql-update' },
        body: `INSERT DATA { <${alice.webId}> <http://www.w3.org/ns/solid/terms#oidcIssuer> <${national.issuer}> }`,
      });
      const number = directory.findCitizen('lucas')!.nationalNumber;
      citizen = await clientOf(national, { webid: alice.webId, citizen_national_id: number }, 'DPoP');
      const linked = await citizen.request('PUT', `${base}v1/webids`);
      if (!listed.ok || linked.status !== 200) {
        throw new Error(`Alice is no citizen: ${listed.status}, ${linked.status}`);
      }
    });

    it('other people log in with theirs, and can get new ones.', async(): Promise<void> => {
      const browser = new UserAgent(base);
      await expect(logIn(organisation, browser)).resolves.toMatchObject({ status: 200 });
      const { password: { create }} = await controlsOf(browser);
      await expect(browser.ask(create)).resolves.toMatchObject({ json: { fields: expect.any(Object) }});
      await expect(browser.ask(create, another)).resolves.toMatchObject({ status: 200 });
    });

    it('a citizen who linked a WebID cannot log in with it, and only they learn why.', async(): Promise<void> => {
      const browser = new UserAgent(base);
      await expect(logIn(alices, browser)).resolves.toMatchObject({ status: 403, json: { type: off }});
      expect(browser.cookieNames).toEqual([]);
      const { json, status } = await logIn({ ...alices, password: 'another one, as long' });
      expect([ status, json.type, json.message ]).toEqual([ 403, undefined, 'Invalid email/password combination.' ]);
    });

    it('their existing log-in stays, but can neither change nor add a password.', async(): Promise<void> => {
      await expectNoPassword(before, [ alices.email ]);
    });

    it('citizens who log in at the provider cannot get one.', async(): Promise<void> => {
      await expectNoPassword(await emma(), []);
    });

    it('a person who is no longer a citizen can log in with it again.', async(): Promise<void> => {
      expect((await citizen.request('DELETE', `${base}v1/webids`)).status).toBe(200);
      await expect(logIn(alices)).resolves.toMatchObject({ status: 200 });
    });
  });

  describe('is switched off: `nobody`', (): void => {
    beforeAll(async(): Promise<void> => {
      await server.stop();
      server = await restart({ passwordLogin: 'nobody', registration: undefined });
    });

    it.each([
      [ 'GET', 'login/password/' ],
      [ 'POST', 'login/password/' ],
      [ 'GET', 'login/password/register/' ],
      [ 'GET', 'login/password/forgot/' ],
      [ 'POST', 'login/password/forgot/' ],
      [ 'GET', 'login/password/reset/' ],
      [ 'POST', 'login/password/reset/' ],
      [ 'POST', 'account/' ],
      [ 'POST', '/login/password/' ],
      [ 'POST', 'login//password/' ],
      [ 'POST', 'login/p%61ssword/' ],
    ])('%s of %s refers to the national log-in.', async(method, path): Promise<void> => {
      const body = method === 'POST' ? { ...organisation, invitation: 'x'.repeat(43) } : undefined;
      const { json, status } = await new UserAgent(base).ask(`.account/${path}`, body);
      expect([ status, json.type, json.authorization ]).toEqual([ 403, off, undefined ]);
    });

    it.each([
      [ 'en', 'There are no passwords here' ],
      [ 'nl', 'Hier zijn geen wachtwoorden' ],
    ])('in %s, so does a page.', async(language, heading): Promise<void> => {
      const page = await new UserAgent(base, { 'accept-language': language }).read('.account/login/password/');
      expect(page).toContain(heading);
      expect(page).toContain(`href="${base}.account/login/"`);
    });

    it.each([ 'login/password', 'account' ])('POST of %s does not exist.', async(path): Promise<void> => {
      const { status } = await new UserAgent(base).ask(`.account/${path}`, organisation);
      expect(status).toBe(404);
    });

    it('no response refers to one, and citizens can log in.', async(): Promise<void> => {
      const browser = await emma();
      for (const visitor of [ new UserAgent(base), browser ]) {
        for (const path of [ '.account/', '.account/login/' ]) {
          const { json, status } = await visitor.ask(path);
          expect(status).toBe(200);
          expect(JSON.stringify(json)).not.toMatch(/\.account\/(?:login\/password|account)\/"|register|forgot|reset/u);
        }
      }
      await expect(controlsOf(browser)).resolves.toHaveProperty('account.logout');
    });

    it('an earlier log-in stays, and cannot get a password.', async(): Promise<void> => {
      await expectNoPassword(before, [ alices.email ]);
    });
  });
});
