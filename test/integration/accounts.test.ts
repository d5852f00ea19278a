import { readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import type { JWTPayload } from 'jose';
import { createAccount, createClientCredentials, createPod, logInToAccount } from '../../demo/lib/accounts';
import type { Account } from '../../demo/lib/accounts';
import { accountRoutes } from '../../src/server/accounts/accountMethods';
import type { OpenRecords } from '../../src/storage/openRecords';
import { beginRequest } from '../support/beginRequest';
import type { SmtpServer } from '../support/SmtpServer';
import { startSmtpServer } from '../support/SmtpServer';
import { withRecordsOf } from '../support/openRecordsOf';
import { rawRequest } from '../support/rawRequest';
import { SolidApp } from '../support/SolidApp';
import { UserAgent } from '../support/UserAgent';
import type { AccountHolder, Client, TestServer } from '../support/world';
import { accountWithPod, createClient, logInByClientCredentials, startServer } from '../support/world';
import { isOnPostgres } from '../support/storage';
import { otherSpellings } from '../support/webIdSpellings';

type Controls = Record<'account' | 'password', Record<string, string>>;

interface Jwks {
  keys: { kid: string; d?: string }[];
}

function epochSecond(): number {
  return Math.floor(Date.now() / 1000);
}

/** Waits until a log-in at this moment is older than a second. */
async function pastSecond(): Promise<void> {
  const second = epochSecond();
  while (epochSecond() <= second + 1) {
    await new Promise((resolve): unknown => setTimeout(resolve, 50));
  }
}

async function hasLogIn(browser: UserAgent): Promise<boolean> {
  const { json: { controls }} = await browser.ask<{ controls: Controls }>('.account/');
  return controls.account.webId !== undefined;
}

/** Accounts of the underlying server: their secrets, log-ins and removal. */
describe('Accounts of the server', (): void => {
  const email = 'holder@example.org';
  const password = 'a long enough sentence 1';
  let server: TestServer;
  let smtp: SmtpServer;
  let account: Account;
  let webId: string;
  let credentials: { id: string; secret: string };
  let holder: AccountHolder;

  beforeAll(async(): Promise<void> => {
    smtp = await startSmtpServer();
    server = await startServer({ flags: { smtp: `smtp://mailer:hunter2@127.0.0.1:${smtp.port}` }});
    account = await createAccount(server.base, { email, password });
    ({ webId } = await createPod(account, 'holder'));
    credentials = await createClientCredentials(account, webId);
    holder = await accountWithPod(server.base, 'neighbour');
  });

  afterAll(async(): Promise<void> => {
    await server?.stop();
    await smtp?.stop();
  });

  /** Everything that a thief has without `--keys`. */
  async function stolenCopy(): Promise<string> {
    const values = await server.stored.values();
    const records = await server.stored.records();
    return [ ...values, ...records.map((bytes): string => bytes.toString('latin1')) ].join('\n');
  }

  async function valueNames(): Promise<string[]> {
    return (await server.stored.valueNames()).sort();
  }

  describe('in a copy of all data without the keys', (): void => {
    it('reveal no private key of the identity provider.', async(): Promise<void> => {
      const copy = await stolenCopy();
      expect(copy).not.toMatch(/"d"\s*:/u);
      const keys = await openKeys();
      const [ signing ] = await keys.signing();
      expect(copy).not.toContain(signing.d);
      for (const cookie of await keys.cookies()) {
        expect(copy).not.toContain(cookie);
      }
    });

    it('reveal no session, secret, password or address.', async(): Promise<void> => {
      const { authorization } = await logInToAccount(server.base, { email, password });
      const copy = `${await stolenCopy()}\n${(await server.stored.valueNames()).join('\n')}`;
      const cookies = [ account, { authorization }].map(({ authorization: text }): string => text.split(' ')[1]);
      for (const secret of [ ...cookies, credentials.secret, credentials.id, holder.credentials.secret, email ]) {
        expect(copy).not.toContain(secret);
        expect(copy).not.toContain(encodeURIComponent(secret));
      }
      // A hash of bcrypt. Fewer characters of it would be found by chance, in what is sealed.
      expect(copy).not.toMatch(/\$2[aby]\$\d\d\$/u);
    });

    it('reveal no token, code or client secret of apps.', async(): Promise<void> => {
      const registered = await (await fetch(`${server.base}.oidc/reg`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ redirect_uris: [ 'http://localhost:1/cb' ], client_name: 'An app' }),
      })).json() as Record<string, string>;
      const copy = `${await stolenCopy()}\n${(await server.stored.valueNames()).join('\n')}`;
      expect(registered.client_id).toEqual(expect.any(String));
      // A registration cannot be changed, so there is no token for it.
      expect(registered).not.toHaveProperty('registration_access_token');
      for (const member of [ 'client_id', 'client_secret' ]) {
        expect(copy).not.toContain(registered[member]);
      }
    });

    it('have files that no other user of the machine can read.', async(): Promise<void> => {
      const pods = join(server.folder, isOnPostgres ? 'keys' : 'pods');
      const names = isOnPostgres ? await readdir(pods, { recursive: true }) : await server.stored.podPaths();
      expect(names.length).toBeGreaterThan(0);
      const open = await Promise.all(names.map(async(name): Promise<string[]> =>
        ((await stat(join(pods, name))).mode & 0o077) === 0 ? [] : [ name ]));
      expect(open.flat()).toEqual([]);
    });
  });

  describe('with a new password', (): void => {
    const login = { email: 'changing@example.org', password: 'the first of two sentences' };
    let own: Account;
    let other: Account;
    let client: Client;
    let clientCredentials: { id: string; secret: string };
    let pod: { webId: string; podUrl: string };

    async function controlsOf({ index, authorization }: Account): Promise<Controls> {
      const response = await fetch(index, { headers: { accept: 'application/json', authorization }});
      return (await response.json() as { controls: Controls }).controls;
    }

    async function send(url: string, body: unknown, from?: Account, method = 'POST'): Promise<Response> {
      return fetch(url, {
        method,
        headers: {
          accept: 'application/json',
          ...body !== undefined && { 'content-type': 'application/json' },
          ...from && { authorization: from.authorization },
        },
        ...body === undefined ? {} : { body: JSON.stringify(body) },
      });
    }

    async function isLoggedIn(tried: Account): Promise<boolean> {
      return (await controlsOf(tried)).account.webId !== undefined;
    }

    async function reads(): Promise<number[]> {
      const answers = [
        await client.request('GET', pod.podUrl),
        await client.request('GET', `${server.base}v1/data-copies`),
        await client.request('POST', `${server.base}.access/query`, { body: {}}),
      ];
      return answers.map(({ status }): number => status);
    }

    beforeAll(async(): Promise<void> => {
      own = await createAccount(server.base, login);
      pod = await createPod(own, 'changing');
      other = await logInToAccount(server.base, login);
      clientCredentials = await createClientCredentials(own, pod.webId);
      client = await logInByClientCredentials(await createClient('Bearer'), server.base, clientCredentials);
    });

    it('refuses one that is short or common.', async(): Promise<void> => {
      const { password: { create }} = await controlsOf(own);
      for (const weak of [ 'elevenchars', 'password1234', 'Password!!!!', 'aaaaaaaaaaaa', '123456789012' ]) {
        expect((await send(create, { email: 'second@example.org', password: weak }, own)).status).toBe(400);
      }
    });

    it('is set for an address by one account, among many at the same time.', async(): Promise<void> => {
      const email = 'wanted@example.org';
      const passwords = Array.from({ length: 4 }, (_, index): string => `sentence ${index} to be remembered`);
      const accounts = await Promise.all(passwords.map(async(_, index): Promise<Account> =>
        createAccount(server.base, { email: `wanting-${index}@example.org`, password })));
      const answers = await Promise.all(accounts.map(async(account, index): Promise<Response> => {
        const { password: { create }} = await controlsOf(account);
        return send(create, { email, password: passwords[index] }, account);
      }));
      const statuses = answers.map(({ status }): number => status);
      expect(statuses.filter((status): boolean => status === 200)).toHaveLength(1);
      expect(statuses.filter((status): boolean => status === 400)).toHaveLength(3);
      await expect(logInToAccount(server.base, { email, password: passwords[statuses.indexOf(200)] })).resolves
        .toBeDefined();
    });

    it('lets no log-in that it ended go on with a request whose body arrives afterwards.', async(): Promise<void> => {
      const address = 'late@example.org';
      const begun = await createAccount(server.base, { email: address, password });
      const thief = await logInToAccount(server.base, { email: address, password });
      const { password: { create }} = await controlsOf(begun);
      const { passwordLogins } = await (await fetch(create, { headers: { authorization: begun.authorization }}))
        .json() as { passwordLogins: Record<string, string> };
      const body = JSON.stringify({ email: 'thief@example.org', password: 'a sentence of the thief' });
      const late = await beginRequest(
        { authentication: async(): Promise<Record<string, string>> => ({ authorization: thief.authorization }) },
        'POST',
        create,
        { accept: 'application/json', 'content-type': 'application/json', 'content-length': String(body.length) },
        body.slice(0, 10),
      );
      const change = { oldPassword: password, newPassword: 'another sentence by its owner' };
      expect((await send(passwordLogins[address], change, begun)).status).toBe(200);
      await expect(late.finish(body.slice(10))).resolves.toBe(401);
    });

    it('ends every other log-in, the client credentials and their tokens at once.', async(): Promise<void> => {
      await expect(reads()).resolves.not.toContain(401);
      await expect(isLoggedIn(other)).resolves.toBe(true);
      const { password: { create }} = await controlsOf(own);
      const { passwordLogins } = await (await fetch(create, { headers: { authorization: own.authorization }}))
        .json() as { passwordLogins: Record<string, string> };
      const changed = { oldPassword: login.password, newPassword: 'the second of two sentences' };
      expect((await send(passwordLogins[login.email], changed, own)).status).toBe(200);
      await expect(isLoggedIn(own)).resolves.toBe(true);
      await expect(isLoggedIn(other)).resolves.toBe(false);
      await expect(reads()).resolves.toEqual([ 401, 401, 401 ]);
      await expect(logInByClientCredentials(await createClient('Bearer'), server.base, clientCredentials)).rejects
        .toThrow('401');
    });

    it('keeps credentials issued afterwards, until they are deleted.', async(): Promise<void> => {
      const { id, secret } = await createClientCredentials(own, pod.webId);
      client = await logInByClientCredentials(await createClient('Bearer'), server.base, { id, secret });
      await expect(reads()).resolves.not.toContain(401);
      const { account: { clientCredentials: url }} = await controlsOf(own);
      const { clientCredentials: all } = await (await fetch(url, { headers: { authorization: own.authorization }}))
        .json() as { clientCredentials: Record<string, string> };
      expect((await send(all[id], undefined, own, 'DELETE')).status).toBe(200);
      await expect(reads()).resolves.toEqual([ 401, 401, 401 ]);
    });

    it('revokes the tokens of a WebID that is unlinked.', async(): Promise<void> => {
      const made = await createClientCredentials(own, pod.webId);
      client = await logInByClientCredentials(await createClient('Bearer'), server.base, made);
      await expect(reads()).resolves.not.toContain(401);
      const { account: { webId: url }} = await controlsOf(own);
      const { webIdLinks } = await (await fetch(url, { headers: { authorization: own.authorization }})).json() as
        { webIdLinks: Record<string, string> };
      expect((await send(webIdLinks[pod.webId], undefined, own, 'DELETE')).status).toBe(200);
      await expect(reads()).resolves.toEqual([ 401, 401, 401 ]);
    });

    it('that is removed ends everything acting for the account, as a changed one does.', async(): Promise<void> => {
      const keeper = await createAccount(server.base, { email: 'keeper@example.org', password });
      const { webId: id } = await createPod(keeper, 'keeper');
      const { password: { create }} = await controlsOf(keeper);
      const stolen = { email: 'stolen@example.org', password: 'a sentence that was overheard' };
      expect((await send(create, stolen, keeper)).status).toBe(200);
      const thief = await logInToAccount(server.base, stolen);
      const made = await createClientCredentials(thief, id);
      const { passwordLogins } = await (await fetch(create, { headers: { authorization: keeper.authorization }}))
        .json() as { passwordLogins: Record<string, string> };
      expect((await send(passwordLogins[stolen.email], undefined, keeper, 'DELETE')).status).toBe(200);
      await expect(isLoggedIn(keeper)).resolves.toBe(true);
      await expect(isLoggedIn(thief)).resolves.toBe(false);
      await expect(logInByClientCredentials(await createClient('Bearer'), server.base, made)).rejects.toThrow('401');
    });

    it('cannot take over or give away a pod.', async(): Promise<void> => {
      const { account: { pod: url }} = await controlsOf(other = await logInToAccount(server.base, {
        ...login,
        password: 'the second of two sentences',
      }));
      const forged = { name: 'forged', settings: { webId: holder.webId }};
      expect((await send(url, forged, other)).status).toBe(403);
      const { pods } = await (await fetch(url, { headers: { authorization: other.authorization }}))
        .json() as { pods: Record<string, string> };
      const given = { webId: holder.webId, visible: false };
      expect((await send(Object.values(pods)[0], given, other)).status).toBe(403);
    });

    it('links no other spelling of a WebID of this server, which may be somebody else\'s.', async(): Promise<void> => {
      const { account: { webId: url }} = await controlsOf(other);
      for (const webId of otherSpellings(pod.podUrl, holder.webId)) {
        const answer = await send(url, { webId }, other);
        expect([ webId, answer.status ]).toEqual([ webId, 400 ]);
      }
      expect((await send(url, { webId: `${pod.podUrl}profile/card#too` }, other)).status).toBe(200);
    });

    it('is requested with the same answer for known and unknown addresses.', async(): Promise<void> => {
      const { password: { forgot }} = await controlsOf({ ...own, authorization: '' });
      const answers = await Promise.all([ email, 'nobody@example.org' ].map(async(address): Promise<unknown> => {
        const answer = await send(forgot, { email: address });
        return [ answer.status, await answer.text() ];
      }));
      expect(answers).toEqual([ email, 'nobody@example.org' ].map((address): unknown =>
        [ 200, expect.stringContaining(JSON.stringify(address)) ]));
      await smtp.arrived(1);
      expect(smtp.mails.map(({ to }): string => to)).toEqual([ email ]);
    });

    it('can replace a forgotten one: by a link that works once, and ends all that acted for the account.', async():
    Promise<void> => {
      const forgetful = { email: 'forgetful@example.org', password: 'a sentence to be forgotten' };
      const chosen = 'a sentence to be remembered';
      const first = await createAccount(server.base, forgetful);
      const { webId: id } = await createPod(first, 'forgetful');
      const made = await createClientCredentials(first, id);
      const { password: { forgot, reset }} = await controlsOf({ ...first, authorization: '' });
      const count = smtp.mails.length;
      expect((await send(forgot, { email: forgetful.email })).status).toBe(200);
      expect((await send(forgot, { email: forgetful.email })).status).toBe(200);
      await smtp.arrived(count + 2);
      const [ link, other ] = smtp.mails.slice(count).map(({ text }): string => /http:\S+/u.exec(text)![0]);
      expect(link.startsWith(reset)).toBe(true);
      expect((await fetch(link, { headers: { accept: 'text/html' }})).status).toBe(200);
      const recordId = new URL(link).searchParams.get('rid');
      expect((await send(reset, { recordId, password: 'short' })).status).toBe(400);
      expect((await send(reset, { recordId, password: chosen })).status).toBe(200);
      for (const ended of [ recordId, new URL(other).searchParams.get('rid') ]) {
        expect((await send(reset, { recordId: ended, password: 'another sentence of mine' })).status).toBe(400);
      }
      await expect(isLoggedIn(first)).resolves.toBe(false);
      await expect(logInByClientCredentials(await createClient('Bearer'), server.base, made)).rejects.toThrow('401');
      await expect(logInToAccount(server.base, forgetful)).rejects.toThrow(/403/u);
      const again = await logInToAccount(server.base, { ...forgetful, password: chosen });
      await expect(isLoggedIn(again)).resolves.toBe(true);
      const log = server.log();
      for (const secret of [ 'hunter2', forgetful.password, chosen ]) {
        expect(log).not.toContain(secret);
      }
    });
  });

  describe('in a browser that is logged in', (): void => {
    const login = { email: 'ann@example.org', password: 'the long sentence of Ann' };
    let app: SolidApp;
    let browser: UserAgent;
    let ann: { webId: string };
    /** Second in which the log-in began. */
    let begun: number;

    beforeAll(async(): Promise<void> => {
      app = await SolidApp.register(server.base);
      ann = await createPod(await createAccount(server.base, login), 'ann');
    });

    beforeEach(async(): Promise<void> => {
      browser = new UserAgent(server.base);
      begun = epochSecond();
      await logIn();
    });

    /** Returns where the browser continues. */
    async function logIn(): Promise<string> {
      const { json, status } = await browser.ask<{ location: string }>('.account/login/password/', login);
      expect(status).toBe(200);
      return json.location;
    }

    /** Begins or continues a log-in to the app; returns the question to the person. */
    async function askedAt(location: string): Promise<string> {
      const at = await browser.follow(location);
      if (at.startsWith(app.redirectUri)) {
        return at;
      }
      const { json: { prompt }} = await browser.ask<{ prompt: string }>('.account/oidc/prompt/');
      return prompt;
    }

    async function pick(): Promise<string> {
      const { json } = await browser.ask<{ location: string }>('.account/oidc/pick-webid/', { webId: ann.webId });
      return json.location;
    }

    async function consent(): Promise<string> {
      const { json } = await browser.ask<{ location: string }>('.account/oidc/consent/', { remember: true });
      return json.location;
    }

    /** Logs in to the app, for as long as the browser's session with the provider. */
    async function enterApp(further?: Record<string, string>): Promise<JWTPayload> {
      const { url, verifier } = app.request(further);
      let asked = await askedAt(url);
      for (const [ prompt, answer ] of [[ 'account', logIn ], [ 'login', pick ], [ 'consent', consent ]] as const) {
        if (asked === prompt) {
          asked = await askedAt(await answer());
        }
      }
      const { claims } = await app.redeem(new URL(asked), verifier);
      expect(claims.webid).toBe(ann.webId);
      return claims;
    }

    /** Submits the page that asks about the log-out. */
    async function answerLogOut(answer: Record<string, string>): Promise<Response> {
      const page = await browser.read('.oidc/session/end');
      const xsrf = /name="xsrf" value="([^"]+)"/u.exec(page)![1];
      expect(page).toContain('name="logout" value="yes"');
      return browser.post('.oidc/session/end/confirm', { xsrf, ...answer });
    }

    it('continue without a prompt, and report the time of log-in.', async(): Promise<void> => {
      const ended = epochSecond();
      await pastSecond();
      const first = await enterApp({ max_age: '600' });
      expect(first.auth_time).toBeGreaterThanOrEqual(begun);
      expect(first.auth_time).toBeLessThanOrEqual(ended);
      await expect(askedAt(app.request().url)).resolves.toBe('consent');
      await expect(askedAt(app.request({ max_age: '600' }).url)).resolves.toBe('consent');
      expect((await enterApp({ max_age: '600' })).auth_time).toBe(first.auth_time);
      const claims = JSON.stringify({ id_token: { auth_time: null }});
      expect((await enterApp({ claims })).auth_time).toBe(first.auth_time);
    });

    it('need no consent for the pages of this service, but for every other app.', async():
    Promise<void> => {
      const { base } = server;
      const redirectUri = `${base}.app/callback`;
      const own = { client_id: `${base}.app/client.jsonld`, redirect_uri: redirectUri, scope: 'openid webid' };
      const { client_id: named } = await (await fetch(`${base}.oidc/reg`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({
          redirect_uris: [ redirectUri ],
          token_endpoint_auth_method: 'none',
          client_name: own.client_id,
        }),
      })).json() as { client_id: string };
      const inPod = `${holder.podUrl}.app/client.jsonld`;
      const written = await holder.client.request('PUT', inPod, {
        headers: { 'content-type': 'application/ld+json' },
        body: JSON.stringify({
          '@context': [ 'https://www.w3.org/ns/solid/oidc-context.jsonld' ],
          client_id: inPod,
          redirect_uris: [ redirectUri ],
          grant_types: [ 'authorization_code' ],
          token_endpoint_auth_method: 'none',
        }),
      });
      expect(written.status).toBe(201);
      const shared = await holder.client.request('PUT', `${inPod}.acl`, {
        headers: { 'content-type': 'text/turtle' },
        body: `@prefix acl: <http://www.w3.org/ns/auth/acl#>. @prefix foaf: <http://xmlns.com/foaf/0.1/>.
          <#owner> a acl:Authorization; acl:agent <${holder.webId}>; acl:accessTo <${inPod}>; acl:mode acl:Control.
          <#all> a acl:Authorization; acl:agentClass foaf:Agent; acl:accessTo <${inPod}>; acl:mode acl:Read.`,
      });
      expect(shared.status).toBe(201);

      const needed: Record<string, boolean> = {};
      for (const [ name, further ] of Object.entries({
        own: { ...own, prompt: '' },
        'own, asked for': { ...own, prompt: 'consent' },
        'registered under its name': { ...own, client_id: named },
        'in a pod': { ...own, client_id: inPod },
      })) {
        await askedAt(app.request(further).url);
        const { json } = await browser.ask<{ app: { needsConsent: boolean }}>('.account/oidc/consent/');
        needed[name] = json.app.needsConsent;
      }
      expect(needed).toEqual({
        own: false,
        'own, asked for': true,
        'registered under its name': true,
        'in a pod': true,
      });
      // Other spellings of its client id are no app, and nobody is sent anywhere else.
      for (const further of [
        { client_id: `${base}.app//client.jsonld` },
        { client_id: `${base}.app/%63lient.jsonld` },
        { client_id: `${base}.app/client.jsonld?` },
        { client_id: `${base}.app/client.jsonld#` },
        { client_id: `${base}.app/x/../client.jsonld` },
        { redirect_uri: `${redirectUri}/../../${new URL(holder.podUrl).pathname}` },
        { redirect_uri: holder.podUrl },
      ]) {
        const refused = await browser.ask(app.request({ ...own, ...further }).url);
        expect({ further, status: refused.status, location: refused.location })
          .toEqual({ further, status: 400, location: undefined });
      }
    });

    it.each<[string, Record<string, string>]>([
      [ 'prompt=login', { prompt: 'login' }],
      [ 'prompt=login, and consent', { prompt: 'login consent' }],
      [ 'max_age=0', { max_age: '0' }],
    ])('ask for the password again, given %s.', async(_, further): Promise<void> => {
      await enterApp();
      await pastSecond();
      const before = epochSecond();
      const { url, verifier } = app.request(further);
      await expect(askedAt(url)).resolves.toBe('account');
      // Nor does it continue by anything that needs no password.
      await expect(askedAt(await pick())).resolves.toBe('account');
      await expect(askedAt(await pick())).resolves.toBe('account');
      await expect(askedAt(await consent())).resolves.toBe('account');
      const stolen = new UserAgent(server.base);
      stolen.steal(browser);
      let asked = await askedAt(await logIn());
      expect([ 'login', 'consent' ]).toContain(asked);
      if (asked === 'login') {
        asked = await askedAt(await pick());
      }
      expect(asked).toBe('consent');
      const { claims } = await app.redeem(new URL(await askedAt(await consent())), verifier);
      expect(claims.auth_time).toBeGreaterThanOrEqual(before);
      // The previous log-in has ended.
      await expect(hasLogIn(stolen)).resolves.toBe(false);
    });

    it('allow the app that a page showed, not one whose log-in began since in another tab.', async(): Promise<void> => {
      const other = await SolidApp.register(server.base);
      await askedAt(app.request().url);
      await askedAt(other.request().url);
      const answers = { 'pick-webid': { webId: ann.webId }, consent: { remember: true }, cancel: {}};
      for (const [ route, answer ] of Object.entries(answers)) {
        const { json, status } = await browser.ask(`.account/oidc/${route}/`, { ...answer, client: app.clientId });
        expect([ route, status, json.location ]).toEqual([ route, 409, undefined ]);
      }
      const answer = { webId: ann.webId, client: other.clientId };
      const picked = await browser.ask<{ location: string }>('.account/oidc/pick-webid/', answer);
      await expect(askedAt(picked.json.location)).resolves.toBe('consent');
      expect((await browser.ask('.account/oidc/consent/', { client: other.clientId })).status).toBe(200);
      expect((await browser.ask('.account/oidc/consent/', { client: 7 })).status).toBe(400);
    });

    it('tell an app that allows no prompt that one is needed.', async(): Promise<void> => {
      await enterApp();
      await pastSecond();
      const { searchParams } = new URL(await askedAt(app.request({ prompt: 'none', max_age: '1' }).url));
      expect(searchParams.get('error')).toBe('login_required');
    });

    it('do not accept the log-in of another account.', async(): Promise<void> => {
      const thief = new UserAgent(server.base);
      thief.steal(browser);
      const { url } = app.request({ prompt: 'login' });
      await browser.follow(url);
      // Somebody at the browser logs in to another account, and restores the old cookie.
      browser.forget('css-account@/');
      const other = { email: 'mallory@example.org', password: 'the sentence of Mallory' };
      await createAccount(server.base, other);
      const { json: { location }} = await browser.ask<{ location: string }>('.account/login/password/', other);
      await expect(askedAt(location)).resolves.toBe('login');
      browser.steal(thief);
      await expect(askedAt(await pick())).resolves.toBe('account');
    });

    describe('and that logs out', (): void => {
      it('end the log-in to the account, too.', async(): Promise<void> => {
        await enterApp();
        const copy = new UserAgent(server.base);
        copy.steal(browser);
        expect((await answerLogOut({ logout: 'yes' })).status).toBe(303);
        expect(browser.cookieNames).not.toContain('css-account@/');
        await expect(hasLogIn(copy)).resolves.toBe(false);
        await expect(askedAt(app.request().url)).resolves.toBe('account');
      });

      it('do nothing if the person says no.', async(): Promise<void> => {
        await enterApp();
        expect((await answerLogOut({})).status).toBe(303);
        await expect(hasLogIn(browser)).resolves.toBe(true);
      });

      it('ask even if only the account is logged in.', async(): Promise<void> => {
        expect((await answerLogOut({ logout: 'yes' })).status).toBe(303);
        await expect(hasLogIn(browser)).resolves.toBe(false);
      });

      it('ignore a confirmation that the page did not ask for.', async(): Promise<void> => {
        await enterApp();
        await browser.read('.oidc/session/end');
        expect((await browser.post('.oidc/session/end/confirm', { xsrf: 'guessed', logout: 'yes' })).status).toBe(400);
        await expect(hasLogIn(browser)).resolves.toBe(true);
      });
    });
  });

  describe('on each of their routes', (): void => {
    const methods = [ 'GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'PROPFIND' ];
    let walker: Account;
    /** Routes with ids of things of the walker's own. */
    let routes: { url: string; methods: string[] }[];

    async function ask(url: string, method: string, body?: string, type = 'application/json'):
    Promise<Response> {
      return fetch(url, {
        method,
        headers: {
          accept: 'application/json',
          authorization: walker.authorization,
          ...body !== undefined && { 'content-type': type },
        },
        ...body !== undefined && { body },
      });
    }

    async function idOf(url: string, member: string): Promise<string> {
      const answer = await (await ask(url, 'GET')).json() as Record<string, Record<string, string>>;
      return Object.values(answer[member])[0];
    }

    beforeAll(async(): Promise<void> => {
      walker = await createAccount(server.base, { email: 'walker@example.org', password });
      const { webId: id } = await createPod(walker, 'walker');
      await createClientCredentials(walker, id);
      const { controls: { account: own, password: passwords }} = await (await ask(walker.index, 'GET')).json() as
        { controls: Controls };
      const root = own.webId.replace(/webid\/$/u, '');
      const ids: [string, string][] = [
        [ 'login/password/*/', await idOf(passwords.create, 'passwordLogins') ],
        [ 'pod/*/', await idOf(own.pod, 'pods') ],
        [ 'webid/*/', await idOf(own.webId, 'webIdLinks') ],
        [ 'client-credentials/*/', await idOf(own.clientCredentials, 'clientCredentials') ],
      ];
      routes = accountRoutes.map(({ path, methods: taken }): { url: string; methods: string[] } => {
        const url = new URL(path, server.base).href.replace(/^.*\/account\/\*\//u, root);
        const known = ids.find(([ end ]): boolean => url.endsWith(end));
        return { url: known ? known[1] : url, methods: taken };
      });
    });

    /** Members that the routes take as text. */
    function texts(): { url: string; names: string[] }[] {
      const names: [RegExp, string[]][] = [
        [ /login\/password\/(?:forgot\/)?$/u, [ 'email' ]],
        [ /login\/password\/$/u, [ 'password' ]],
        [ /login\/password\/reset\/$/u, [ 'recordId', 'password' ]],
        [ /\/account\/[^/]+\/login\/password\/[^/]+\/$/u, [ 'oldPassword', 'newPassword' ]],
        [ /\/login\/national\/$/u, [ 'provider' ]],
        [ /\/login\/national\/[^/]+\/$/u, [ 'answer' ]],
        [ /\/login\/welcome\/$/u, [ 'answer', 'ticket' ]],
        [ /\/client-credentials\/$|\/pod\/$/u, [ 'name' ]],
        [ /\/pod\/$/u, [ 'settings.webId', 'settings.name' ]],
        [ /\/client-credentials\/$|\/pod\/[^/]+\/$|\/webid\/$|\/pick-webid\/$/u, [ 'webId' ]],
      ];
      return routes.map(({ url }): { url: string; names: string[] } => ({
        url,
        names: names.filter(([ pattern ]): boolean => pattern.test(url)).flatMap(([ , each ]): string[] => each),
      }));
    }

    function bodyWith(name: string, value: unknown): string {
      const [ outer, inner ] = name.split('.');
      return JSON.stringify({ name: 'x', ...inner ? { [outer]: { [inner]: value }} : { [outer]: value }});
    }

    it('are all listed here.', async(): Promise<void> => {
      const { controls } = await (await ask(walker.index, 'GET')).json() as { controls: Record<string, unknown> };
      const found = JSON.stringify(controls).match(/http:[^"]+/gu)!;
      expect(found.length).toBeGreaterThan(8);
      expect(found.filter((url): boolean => !routes.some((route): boolean => route.url === url))).toEqual([]);
    });

    it('name the methods they allow, and allow no others.', async(): Promise<void> => {
      for (const { url, methods: taken } of routes) {
        for (const method of methods.filter((each): boolean => !taken.includes(each))) {
          for (const body of method === 'GET' || method === 'HEAD' ? [ undefined ] : [ undefined, '{}', '{' ]) {
            const answer = await ask(url, method, body);
            expect([ method, url, answer.status, answer.headers.get('allow'), answer.headers.get('content-type') ])
              .toEqual([ method, url, 405, taken.join(', '), 'application/json' ]);
            await answer.text();
          }
        }
      }
    });

    it('answer HEAD as GET, without a body.', async(): Promise<void> => {
      for (const { url } of routes.filter(({ methods: taken }): boolean => taken.includes('GET'))) {
        const [ got, head ] = [ await ask(url, 'GET'), await ask(url, 'HEAD') ];
        await got.text();
        expect([ url, head.status, head.headers.get('content-type'), await head.text() ])
          .toEqual([ url, got.status, got.headers.get('content-type'), '' ]);
      }
    });

    it.each([
      '{',
      '',
      '[]',
      '[{}]',
      'null',
      '1',
      '"text"',
      'true',
      '{"a":1}}',
      '\u0000',
      '{"email":}',
      '['.repeat(2000),
      '{"__proto__":{"isAdmin":true},"x":1}',
      '{"settings":{"__proto__":{"webId":"x"}},"name":"x","webId":"x"}',
      '{"constructor":{"prototype":{}},"x":1}',
      '{"hasOwnProperty":1,"toString":7,"valueOf":null}',
      JSON.stringify({ email: {}, password: [], name: 7, webId: null, settings: [], recordId: {}, remember: 'x' }),
      JSON.stringify({ email: [ 'a@b.example' ], password: 1, name: {}, webId: {}, settings: 'x', recordId: []}),
      JSON.stringify({ email: null, password: null, name: null, webId: null, settings: null, recordId: null }),
      JSON.stringify({ oldPassword: {}, newPassword: [], name: '', webId: '', settings: { webId: {}, more: 1 }, x: 1 }),
      JSON.stringify({ name: '', webId: 'x:\u0000', email: '@', recordId: 'x'.repeat(500), settings: 7 }),
      JSON.stringify({ name: '', webId: `http://${'x'.repeat(3000)}`, email: '\u0000', recordId: '../../x', settings: 7 }),
    ])('refuse %j, and change nothing.', async(body): Promise<void> => {
      const before = await valueNames();
      const answers: unknown[][] = [];
      const isObjectOrNothing = body === '' || (body.startsWith('{"') && body.endsWith('}') && !body.endsWith('}}'));
      for (const { url, methods: taken } of routes) {
        // An account is created, and a log-in ended, whatever the object.
        const takesAny = /\/(?:logout|\.account\/account)\/$/u.test(url);
        if (taken.includes('POST') && !(takesAny && isObjectOrNothing)) {
          const answer = await ask(url, 'POST', body);
          // A pod cannot be given to somebody outside of the account.
          const status = url.includes('/pod/') && answer.status === 403 ? 400 : answer.status;
          answers.push([ url, status, /node_modules|(?:Syntax|Type)Error|not a function/u.test(await answer.text()) ]);
        }
      }
      expect(answers.length).toBeGreaterThan(10);
      expect(answers).toEqual(answers.map(([ url ]): unknown => [ url, 400, false ]));
      await expect(valueNames()).resolves.toEqual(before);
    });

    it.each([ '{}', '{"toString":"x"}', '[]', '["x"]', '7', '0', 'true', 'false', 'null' ])(
      'refuse %s in place of text, naming the field.',
      async(value): Promise<void> => {
        for (const { url, names } of texts()) {
          for (const name of names) {
            const answer = await ask(url, 'POST', bodyWith(name, JSON.parse(value)));
            expect([ url, name, answer.status, await answer.json() ])
              .toEqual([ url, name, 400, expect.objectContaining({ message: `${name} must be a text.` }) ]);
          }
        }
      },
    );

    it.each([ '\uD800', 'a\uDC00b', 'long enough, \uD83D\uD83D' ])(
      'refuse half a character in %j, naming the field: its hash as a password ended the process.',
      async(text): Promise<void> => {
        for (const { url, names } of texts()) {
          for (const name of [ ...names, ...url.endsWith('/pod/') ? [ 'settings.other' ] : [] ]) {
            const answer = await ask(url, 'POST', bodyWith(name, text));
            expect([ url, name, answer.status, (await answer.json() as { message: string }).message ])
              .toEqual([ url, name, 400, `${name} has half a character.` ]);
          }
        }
      },
    );

    it('refuse texts that are too long, naming the field, and store none.', async(): Promise<void> => {
      const before = await valueNames();
      for (const { url, names } of texts()) {
        for (const name of [ ...names, ...url.endsWith('/pod/') ? [ 'settings.other' ] : [] ]) {
          for (const long of [ 'x'.repeat(60_000), `http://x/${'é'.repeat(20_000)}`, `${'\u0000'.repeat(8_500)}${'x'.repeat(8_500)}` ]) {
            const answer = await ask(url, 'POST', bodyWith(name, long));
            expect([ url, name, answer.status, (await answer.json() as { message: string }).message ])
              .toEqual([ url, name, 400, expect.stringMatching(/^[\w.]+ has at most \d+ characters\.$/u) ]);
          }
        }
      }
      await expect(valueNames()).resolves.toEqual(before);
    });

    it('forbid caching of errors.', async(): Promise<void> => {
      const paths = [ 'x', 'x/', 'a%25', 'account/x/y/', 'account/x/pod/y/z/', 'login/password/x%C3%A9', '%00' ]
        .map((path): string => `.account/${path}`);
      for (const path of [ ...paths, `.account/${'x'.repeat(300)}`, '.oidc/x', '.oidc/a%25', '.oidc/auth' ]) {
        for (const accept of [ 'application/json', 'text/html' ]) {
          const answer = await fetch(`${server.base}${path}`, { headers: { accept }});
          expect([ path, answer.ok, answer.headers.get('cache-control') ]).toEqual([ path, false, 'no-store' ]);
          await answer.text();
        }
      }
      for (const [ method, path ] of [[ 'POST', '.oidc/jwks' ], [ 'PATCH', '.oidc/auth' ], [ 'DELETE', '.account/' ]]) {
        const answer = await fetch(`${server.base}${path}`, { method });
        expect([ path, answer.ok, answer.headers.get('cache-control') ]).toEqual([ path, false, 'no-store' ]);
      }
      expect((await fetch(`${server.base}.oidc/jwks`)).headers.get('cache-control')).not.toBe('no-store');
    });

    it('refuse bodies that are too large, of undeclared length, or not JSON.', async(): Promise<void> => {
      for (const { url, methods: taken } of routes.filter((route): boolean => route.methods.includes('POST'))) {
        expect(taken).toContain('POST');
        const large = JSON.stringify({ email: 'x'.repeat(70_000) });
        expect([ url, (await ask(url, 'POST', large)).status ]).toEqual([ url, 413 ]);
        const unsaid = await fetch(url, {
          method: 'POST',
          headers: { authorization: walker.authorization, 'content-type': 'application/json' },
          body: new Blob([ '{}' ]).stream(),
          duplex: 'half',
        } as RequestInit);
        expect([ url, unsaid.status ]).toEqual([ url, 413 ]);
        for (const type of [ 'text/plain', 'application/x-www-form-urlencoded', 'application/ld+json' ]) {
          expect([ url, type, (await ask(url, 'POST', '{}', type)).status ]).toEqual([ url, type, 415 ]);
        }
      }
    });

    it('do not read the body of a GET.', async(): Promise<void> => {
      for (const { url } of routes.filter((route): boolean => route.methods.includes('GET'))) {
        const answer = await rawRequest(server.base, 'GET', new URL(url).pathname, {
          headers: {
            authorization: walker.authorization,
            accept: 'application/json',
            'content-type': 'application/json',
          },
          body: '{',
        });
        expect([ url, answer.status ]).toEqual([ url, 400 ]);
      }
    });
  });

  interface OpenKeys {
    signing: () => Promise<{ d: string }[]>;
    cookies: () => Promise<string[]>;
    rotate: () => Promise<void>;
  }

  async function withRecords<T>(work: (open: OpenRecords) => Promise<T>): Promise<T> {
    return withRecordsOf(server.folder, work, { records: server.stored.place, existing: true });
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
      rotate: async(): Promise<void> => withRecords(async({ secretRotation }): Promise<void> =>
        secretRotation.rotateProvider('tester')),
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
    // One of each algorithm.
    expect(after.keys).toHaveLength(before.keys.length + 2);
    expect(after.keys.map(({ kid }): string => kid)).toEqual(expect.arrayContaining([ before.keys[0].kid ]));
    expect(after.keys.some(({ d }): boolean => d !== undefined)).toBe(false);
    expect((await holder.client.request('GET', holder.podUrl)).status).toBe(200);
  });
});
