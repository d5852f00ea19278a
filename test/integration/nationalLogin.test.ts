import type { JSONWebKeySet } from 'jose';
import { createLocalJWKSet, decodeJwt, decodeProtectedHeader, generateKeyPair, jwtVerify } from 'jose';
import type { OpenRecords } from '../../src/storage/openRecords';
import type { AuditEvent } from '../../src/audit/AuditLog';
import { NationalNumber } from '../../src/identity/NationalNumber';
import { describeProvider, LoggingIn, logInToApp, numberClaim, writeProviders } from '../support/nationalLogin';
import { withRecordsOf } from '../support/openRecordsOf';
import { SolidApp } from '../support/SolidApp';
import { share } from '../support/sharing';
import type { KindName } from '../support/StockProviders';
import { StockProviders } from '../support/StockProviders';
import { mentions } from '../support/callers';
import { answerJson } from '../support/loopback';
import type { Misbehaviour } from '../support/TestLoginProvider';
import { TestLoginProvider } from '../support/TestLoginProvider';
import { UserAgent } from '../support/UserAgent';
import type { Client, World } from '../support/world';
import { until } from '../support/sharingWorld';
import { directory, freePort, removeFolder, startWorld, temporaryFolder } from '../support/world';
import { fc } from '../support/properties';

function claimsOf(id: string): Record<string, unknown> {
  return { [numberClaim]: directory.findCitizen(id)!.nationalNumber };
}

function garbage(...[ , response ]: Parameters<Misbehaviour>): void {
  response.writeHead(200, { 'content-type': 'application/json' }).end('<html>garbage');
}

function failure(...[ , response ]: Parameters<Misbehaviour>): void {
  response.writeHead(500).end();
}

/** A fault of a provider at an endpoint, and how the log-in is refused. */
const faults: Record<string, { does: Misbehaviour; refused: string }> = {
  'sends garbage': { does: garbage, refused: '403 login-refused' },
  fails: { does: failure, refused: '503 login-provider-away' },
  'hangs up': { does: (_request, response): unknown => response.destroy(), refused: '503 login-provider-away' },
  'sends too much': {
    does: (_request, response): void => {
      response.writeHead(200, { 'content-type': 'application/json' }).end('x'.repeat(2 * 1024 * 1024));
    },
    refused: '503 login-provider-away',
  },
  'sends us on': {
    does: (_request, response): void => {
      response.writeHead(307, { location: '/elsewhere' }).end();
    },
    refused: '403 login-refused',
  },
  'says nothing': { does: (): void => { /* The connection stays open. */ }, refused: '503 login-provider-away' },
};
const silent = 'says nothing';
const loud = Object.keys(faults).filter((fault): boolean => fault !== silent);

/** A part of a JWT. */
function part(value: object): string {
  return Buffer.from(JSON.stringify(value)).toString('base64url');
}

/** Returns the citizen that the server names to a browser. */
async function nameIn({ browser }: LoggingIn): Promise<unknown> {
  const { json } = await browser.ask<{ citizen?: { name: string; webId: string }}>('.account/login/national/');
  return json.citizen;
}

/** Citizens who log in to Solid apps with their national identity, at a provider that does not support Solid. */
describe('Log-in with a national identity', (): void => {
  let folder: string;
  let provider: TestLoginProvider;
  let shaky: TestLoginProvider;
  let stock: StockProviders;
  let world: World;
  let base: string;

  beforeAll(async(): Promise<void> => {
    [ folder, provider, shaky ] =
      await Promise.all([ temporaryFolder(), TestLoginProvider.start(), TestLoginProvider.start() ]);
    const port = await freePort();
    stock = await StockProviders.start(folder, `http://localhost:${port}/`, directory.findCitizen('emma')!.nationalNumber);
    const nationalLogin = await writeProviders(folder, [
      describeProvider(provider.issuer),
      describeProvider(provider.issuer, {
        id: 'strong',
        acrValues: [ 'high' ],
        acceptedAcr: [ 'high' ],
        clientAuthentication: { method: 'none' },
        nationalNumber: { from: 'userinfo', claim: '/person/numbers/0', prefix: 'BE/' },
      }),
      describeProvider('http://localhost:1/', { id: 'away' }),
      describeProvider(provider.issuer, { id: 'named', nameClaim: '/person/name' }),
      describeProvider(provider.issuer, {
        id: 'some',
        nationalNumber: {
          from: 'id_token',
          claim: numberClaim,
          pattern: `${directory.findCitizen('emma')!.nationalNumber.slice(0, 6)}\\d{5}`,
        },
      }),
      describeProvider(shaky.issuer, {
        id: 'shaky',
        par: true,
        clientAuthentication: { method: 'private_key_jwt', audience: 'token_endpoint' },
      }),
      ...stock.settings,
    ]);
    world = await startWorld({ port, flags: { nationalLogin }});
    ({ base } = world);
  });

  afterEach((): void => {
    provider.behave();
    shaky.behave();
  });

  afterAll(async(): Promise<void> => {
    await world?.stop();
    await Promise.all([ provider?.stop(), shaky?.stop(), stock?.stop() ]);
    await removeFolder(folder);
  });

  function person(id: string, headers: Record<string, string> = {}): LoggingIn {
    return new LoggingIn(new UserAgent(base, headers), provider, claimsOf(id));
  }

  function strong(id: string, acr = 'high'): LoggingIn {
    const { nationalNumber } = directory.findCitizen(id)!;
    const claims = { acr, person: { numbers: [ `BE/${nationalNumber}` ]}};
    return new LoggingIn(new UserAgent(base), provider, claims, 'strong');
  }

  /** Logs a citizen in, then opens an app that requires a log-in of the last ten minutes. */
  async function openApp(): Promise<LoggingIn> {
    const app = await SolidApp.register(base);
    const one = person('emma');
    await one.logIn();
    await one.browser.follow(app.request({ max_age: '600' }).url);
    return one;
  }

  async function webIdOf(client: Client, method = 'GET'): Promise<{ status: number; uri: string }> {
    const response = await client.request(method, `${base}v1/webids`);
    const { uri } = await response.json() as { uri: string };
    return { status: response.status, uri };
  }

  /** Works on the records while the server serves. */
  async function withRecords(
    work: (records: OpenRecords['records'], rotation: OpenRecords['secretRotation']) => Promise<void>,
    clock = (): Date => new Date(),
  ): Promise<void> {
    const { folder, stored } = world.server;
    await withRecordsOf(
      folder,
      async({ records, secretRotation }): Promise<void> => work(records, secretRotation),
      { records: stored.place, clock },
    );
  }

  function problem(name: string): string {
    return `${base}v1/problems/${name}`;
  }

  /** Returns status and problem of a log-in whose response is changed on the way; it logs nobody in. */
  async function refusal(one: LoggingIn, change?: (answer: URL) => void): Promise<string> {
    const answer = await one.come();
    change?.(answer);
    const { json, status, type } = await one.bring(answer);
    expect(type).toBe('application/problem+json');
    expect(one.browser.cookieNames).toEqual([ 'css-login@/' ]);
    return `${status} ${String(json.type).slice(problem('').length)}`;
  }

  /** Returns status and problem of a log-in that cannot even begin. */
  async function refusalAtStart(path: string, fault: string): Promise<string> {
    shaky.misbehaviours.set(path, faults[fault].does);
    const { json, status } = await new UserAgent(base).ask('.account/login/national/', { provider: 'shaky' });
    shaky.behave();
    return `${status} ${String(json.type).slice(problem('').length)}`;
  }

  describe('of a citizen who has never been here', (): void => {
    let emma: { webIds: string[]; client: Client };

    beforeAll(async(): Promise<void> => {
      emma = await logInToApp(base, provider, claimsOf('emma'));
    });

    it('ends in the app with a WebID, a pod and a token that names nobody by number.', async(): Promise<void> => {
      const [ webId ] = emma.webIds;
      expect(emma.webIds).toHaveLength(1);
      const claims = decodeJwt(emma.client.token!);
      expect(claims).toMatchObject({ webid: webId, iss: base, aud: 'solid' });
      expect(JSON.stringify(claims)).not.toContain(directory.findCitizen('emma')!.nationalNumber);
      const pod = new URL('../', webId).href;
      expect((await emma.client.request('GET', pod)).status).toBe(200);
    });

    it('authenticates to the provider with the key that this server publishes.', async(): Promise<void> => {
      const { keys } = await (await fetch(`${base}.oidc/jwks`)).json() as JSONWebKeySet;
      const assertion = provider.tokenRequests[0].get('client_assertion')!;
      const { payload } = await jwtVerify(assertion, createLocalJWKSet({ keys }));
      expect(payload).toMatchObject({ iss: 'data-sharing', sub: 'data-sharing', aud: provider.issuer });
    });

    it('authenticates with a key of a type that the provider supports.', async(): Promise<void> => {
      for (const [ accept, type ] of [
        [ '*/*', 'application/json' ],
        [ 'application/json, application/jwk-set+json', 'application/jwk-set+json' ],
      ]) {
        const response = await fetch(`${base}.oidc/jwks`, { headers: { accept }});
        expect(response.headers.get('content-type')).toContain(type);
        expect(response.headers.get('vary')).toMatch(/\baccept\b/iu);
      }
    });

    it('is enough to share data, and to GET and PUT the WebID.', async(): Promise<void> => {
      const uri = emma.webIds[0];
      await expect(webIdOf(emma.client)).resolves.toEqual({ status: 200, uri });
      await expect(webIdOf(emma.client, 'PUT')).resolves.toEqual({ status: 200, uri });
      const { podResource } = await share(emma.client, base, 'diploma-employment');
      expect(podResource.startsWith(new URL('../', uri).href)).toBe(true);
    });

    it('finds the same WebID the second time, without asking.', async(): Promise<void> => {
      const browser = person('emma');
      const { json } = await browser.bring(await browser.come());
      expect(json).not.toHaveProperty('ticket');
      const again = await logInToApp(base, provider, claimsOf('emma'));
      expect(again.webIds).toEqual(emma.webIds);
    });

    it('finds the same WebID as the national issuer\'s token.', async(): Promise<void> => {
      await expect(webIdOf(await world.national.logIn('emma'), 'PUT')).resolves
        .toEqual({ status: 200, uri: emma.webIds[0] });
    });
  });

  it('finds the WebID that PUT created before.', async(): Promise<void> => {
    const { uri, status } = await webIdOf(await world.national.logIn('lucas'), 'PUT');
    expect(status).toBe(201);
    const { webIds, client } = await logInToApp(base, provider, claimsOf('lucas'));
    expect(webIds).toEqual([ uri ]);
    await expect(webIdOf(client)).resolves.toEqual({ status: 200, uri });
  });

  it('creates one WebID together with a simultaneous PUT.', async(): Promise<void> => {
    const people = [ person('noor'), person('noor') ];
    const tickets = await Promise.all(people.map(async(one): Promise<unknown> =>
      (await one.bring(await one.come())).json.ticket));
    const issuer = await world.national.logIn('noor');
    const [ put, ...said ] = await Promise.all([
      webIdOf(issuer, 'PUT'),
      ...people.map(async(one, index): Promise<number> => (await one.say(tickets[index], 'yes')).status),
    ]);
    expect(said).toEqual([ 200, 200 ]);
    const { webIds } = await logInToApp(base, provider, claimsOf('noor'));
    expect(webIds).toEqual([ (put as { uri: string }).uri ]);
  });

  it('creates nothing for a person who says no, and tells the app.', async(): Promise<void> => {
    const app = await SolidApp.register(base);
    const one = person('jan');
    await one.browser.follow(app.request({ state: 'kept' }).url);
    const { json: { ticket }} = await one.bring(await one.come());
    const { json: { location }} = await one.say(ticket, 'no');
    const back = new URL(await one.browser.follow(location as string));
    expect(back.origin + back.pathname).toBe(app.redirectUri);
    expect(Object.fromEntries(back.searchParams)).toMatchObject({ error: 'access_denied', state: 'kept' });
    expect((await webIdOf(await world.national.logIn('jan'))).status).toBe(404);
    await expect(one.say(ticket, 'yes')).resolves.toMatchObject({ status: 400 });
  });

  it('continues with the app of the tab in which it was begun.', async(): Promise<void> => {
    const app = await SolidApp.register(base);
    const one = person('emma');
    await one.browser.follow(app.request({ state: 'first' }).url);
    const answer = await one.come();
    await one.browser.follow(app.request({ state: 'second' }).url);
    const { json: { location }} = await one.bring(answer);
    const { back } = await app.consent(one.browser, location as string);
    expect(back.searchParams.get('state')).toBe('first');
  });

  it('gives a new WebID after the first was erased with a token of this server.', async(): Promise<void> => {
    const { client, webIds: [ uri ] } = await logInToApp(base, provider, claimsOf('mila'));
    await expect(webIdOf(client, 'DELETE')).resolves.toEqual({ status: 200, uri });
    expect((await webIdOf(client)).status).toBe(401);
    const again = await logInToApp(base, provider, claimsOf('mila'));
    expect(again.webIds).not.toContain(uri);
  });

  it('names the providers in the language of the browser.', async(): Promise<void> => {
    const names = { nl: 'StaatID', 'fr-BE': 'ID d’État', de: 'StaatsID', en: 'StateID' };
    for (const [ language, name ] of Object.entries(names)) {
      const { json } = await new UserAgent(base, { 'accept-language': language }).ask('.account/login/national/');
      expect(json.providers).toEqual(expect.arrayContaining([ 'stateid', 'strong', 'away' ].map((id): object =>
        ({ id, name, statesName: false }))));
    }
  });

  it('is recorded with the provider and the level of assurance.', async(): Promise<void> => {
    await withRecords(async({ audit }): Promise<void> => {
      const events = (await audit.list(0, 1000)).map(({ event }): typeof event => event);
      const logins = events.filter(({ type }): boolean => type === 'login.succeeded');
      expect(logins.length).toBeGreaterThan(3);
      expect(logins[0]).toMatchObject({ facts: { provider: 'stateid' }, citizenId: expect.any(String) });
    });
  });

  /** Providers made with a common library, one of each kind. */
  describe('at a third-party provider', (): void => {
    async function logIn(kind: KindName): Promise<void> {
      const { json, status } = await stock.person(kind).logIn();
      expect([ status, json.type ]).toEqual([ 200, undefined ]);
    }

    it.each<[ KindName, string ]>([
      [ 'secret-in-header', 'with a secret' ],
      [ 'secret-in-body', 'with a secret in the body' ],
      [ 'no-authentication', 'without authentication' ],
      [ 'key-of-server', 'with the key that this server publishes' ],
      [ 'key-of-its-own', 'with a key for it alone' ],
      [ 'userinfo', 'that tells the number in userinfo only' ],
      [ 'signed-userinfo', 'that signs userinfo' ],
      [ 'encrypted-id-tokens', 'that encrypts ID tokens' ],
      [ 'encrypted-by-curve', 'that encrypts ID tokens for a key on a curve' ],
      [ 'encrypted-userinfo', 'that encrypts ID tokens and userinfo' ],
      [ 'pushed', 'that wants requests pushed' ],
      [ 'signed', 'that wants requests signed' ],
      [ 'pushed-and-signed', 'that wants requests pushed and signed' ],
    ])('works, %s: %s.', async(kind): Promise<void> => {
      await logIn(kind);
      await expect(refusal(stock.person(kind, 'nobody'))).resolves.toBe('403 claim-missing');
    });

    it('accepts the configured levels of assurance, and no other.', async(): Promise<void> => {
      for (const acr of [ 'high', 'substantial' ]) {
        expect((await stock.person('assured', 'emma', acr).logIn()).status).toBe(200);
      }
      for (const acr of [ 'low', undefined ]) {
        await expect(refusal(stock.person('assured', 'emma', acr))).resolves.toBe('403 login-too-weak');
      }
    });

    it.each<KindName>([ 'encrypted-for-another', 'encrypted-without-key', 'userinfo-for-another' ])(
      'reads nothing that is %s.',
      async(kind): Promise<void> => {
        await expect(refusal(stock.person(kind))).resolves.toBe('403 login-refused');
      },
    );

    it('authenticates with a new key of this server once that is in use.', async(): Promise<void> => {
      const jwks = `${base}.oidc/jwks`;
      const { keys: before } = await (await fetch(jwks)).json() as JSONWebKeySet;
      // Keys are published for two minutes before they are used.
      await withRecords(
        async(_records, rotation): Promise<void> => rotation.rotateProvider('tester'),
        (): Date => new Date(Date.now() - 180_000),
      );
      await until(async(): Promise<boolean> =>
        (await (await fetch(jwks)).json() as JSONWebKeySet).keys.length > before.length);
      await logIn('new-key-of-server');
      const { json } = await person('emma').logIn();
      expect(json.type).toBeUndefined();
      const { kid } = decodeProtectedHeader(provider.tokenRequests.at(-1)!.get('client_assertion')!);
      expect(before.map((key): unknown => key.kid)).not.toContain(kid);
    });
  });

  describe('at a provider with stricter settings', (): void => {
    it('takes the number, by JSON Pointer, and the level of assurance from userinfo.', async(): Promise<void> => {
      const one = strong('emma');
      const location = await one.begin();
      expect(new URL(location).searchParams.get('acr_values')).toBe('high');
      const { status, json } = await strong('emma').logIn();
      expect([ status, json.ticket ]).toEqual([ 200, undefined ]);
    });

    it('is refused with another level.', async(): Promise<void> => {
      await expect(refusal(strong('emma', 'low'))).resolves.toBe('403 login-too-weak');
    });

    it('passes on the app\'s wishes for the log-in.', async(): Promise<void> => {
      const app = await SolidApp.register(base);
      const one = strong('emma');
      await one.browser.follow(app.request({ prompt: 'login consent', max_age: '60' }).url);
      const { searchParams } = new URL(await one.begin());
      expect(searchParams.get('max_age')).toBe('60');
      expect(searchParams.get('prompt')).toBe('login');
    });

    /** Sets the log-in time in ID tokens, in seconds from now. */
    function tellTime(seconds: number | undefined): void {
      provider.idToken = { auth_time: seconds === undefined ? undefined : Math.floor(Date.now() / 1000) + seconds };
    }

    it('accepts a log-in of just now as recent.', async(): Promise<void> => {
      tellTime(0);
      const { browser } = await openApp();
      await expect(browser.ask('.account/oidc/prompt/')).resolves.toMatchObject({ json: { prompt: 'login' }});
    });

    it.each([
      [ 'of an hour ago', -3600 ],
      [ 'that the provider tells no time of', undefined ],
    ])('counts a log-in %s as old, until there is a recent one.', async(_what, seconds): Promise<void> => {
      tellTime(seconds);
      const one = await openApp();
      await expect(one.browser.ask('.account/oidc/prompt/')).resolves.toMatchObject({ json: { prompt: 'account' }});
      tellTime(-3600);
      await expect(one.bring(await one.come())).resolves.toMatchObject({ status: 403 });
      tellTime(-60);
      const { json: { location }} = await one.bring(await one.come());
      await one.browser.follow(location as string);
      await expect(one.browser.ask('.account/oidc/prompt/')).resolves.toMatchObject({ json: { prompt: 'login' }});
    });

    it('refuses userinfo about somebody else.', async(): Promise<void> => {
      provider.userinfo = { sub: 'somebody else' };
      await expect(refusal(strong('emma'))).resolves.toBe('403 login-refused');
    });

    it('refuses malformed userinfo, and reports userinfo that is unavailable.', async(): Promise<void> => {
      provider.misbehaviours.set('/userinfo', garbage);
      await expect(refusal(strong('emma'))).resolves.toBe('403 login-refused');
      provider.misbehaviours.set('/userinfo', failure);
      await expect(refusal(strong('emma'))).resolves.toBe('503 login-provider-away');
    });
  });

  describe('is refused, and changes nothing,', (): void => {
    it('when the state is unknown, or given twice.', async(): Promise<void> => {
      for (const change of [
        (url: URL): void => url.searchParams.set('state', 'x'.repeat(43)),
        (url: URL): void => url.searchParams.delete('state'),
        (url: URL): void => url.searchParams.append('state', url.searchParams.get('state')!),
        (url: URL): void => url.searchParams.set('padding', 'x'.repeat(9000)),
      ]) {
        await expect(refusal(person('emma'), change)).resolves.toBe('400 login-not-open');
      }
    });

    it('when the answer was used before.', async(): Promise<void> => {
      const one = person('emma');
      const answer = await one.come();
      expect((await one.bring(answer)).status).toBe(200);
      await expect(one.bring(answer)).resolves.toMatchObject({ status: 400, json: { type: problem('login-not-open') }});
    });

    it('when one answer arrives twice at once, except the first time.', async(): Promise<void> => {
      const one = person('emma');
      const answer = await one.come();
      const both = await Promise.all([ one.bring(answer), one.bring(answer) ]);
      expect(new Set(both.map(({ status }): number => status))).toEqual(new Set([ 200, 400 ]));
    });

    it('when another browser brings the answer; the right one still can.', async(): Promise<void> => {
      const [ one, other ] = [ person('emma'), person('emma') ];
      const answer = await one.come();
      await other.begin();
      for (const thief of [ other, person('emma') ]) {
        const { json: { type }} = await thief.bring(answer);
        expect(type).toBe(problem('login-not-open'));
      }
      expect((await one.bring(answer)).status).toBe(200);
    });

    it('when the answer arrives at the address of another provider, or names another one.', async(): Promise<void> => {
      await expect(refusal(person('emma'), (url): void => {
        url.pathname = url.pathname.replace('stateid', 'strong');
      })).resolves.toBe('400 login-not-open');
      await expect(refusal(person('emma'), (url): void => url.searchParams.set('iss', 'https://evil.example/')))
        .resolves.toBe('403 login-refused');
      await expect(refusal(person('emma'), (url): void => url.searchParams.delete('iss')))
        .resolves.toBe('403 login-refused');
      await expect(refusal(person('emma'), (url): void => {
        url.pathname = url.pathname.replace('stateid', 'none');
      })).resolves.toBe('400 parameter-invalid');
    });

    it('when the code belongs to another log-in.', async(): Promise<void> => {
      const spent = await person('emma').come();
      await expect(refusal(person('emma'), (url): void =>
        url.searchParams.set('code', spent.searchParams.get('code')!))).resolves.toBe('403 login-refused');
    });

    it.each([
      [ 'nonce', { nonce: 'another' }],
      [ 'aud', { aud: 'another-client' }],
      [ 'aud without azp', { aud: [ 'data-sharing', 'another-client' ]}],
      [ 'azp', { aud: [ 'data-sharing', 'another-client' ], azp: 'another-client' }],
      [ 'azp beside one aud', { azp: 'another-client' }],
      [ 'azp of no type', { azp: null }],
      [ 'iat of tomorrow', { iat: Math.floor(Date.now() / 1000) + 86_400 }],
      [ 'no iat', { iat: undefined }],
      [ 'iss', { iss: 'https://evil.example/' }],
      [ 'exp', { exp: 1_700_000_000 }],
      [ 'no exp', { exp: undefined }],
      [ 'no sub', { sub: undefined }],
    ])('when the ID token is wrong: %s.', async(_what, claims): Promise<void> => {
      provider.idToken = claims;
      await expect(refusal(person('emma'))).resolves.toBe('403 login-refused');
    });

    it('but not when the ID token says that it is for this server among others.', async(): Promise<void> => {
      provider.idToken = { aud: [ 'data-sharing', 'another-client' ], azp: 'data-sharing' };
      expect((await person('emma').logIn()).status).toBe(200);
      provider.idToken = { azp: 'data-sharing', iat: Math.floor(Date.now() / 1000) + 30 };
      expect((await person('emma').logIn()).status).toBe(200);
    });

    it('when the ID token is not signed by the provider.', async(): Promise<void> => {
      const { key } = provider;
      provider.key = (await generateKeyPair('ES256')).privateKey;
      await expect(refusal(person('emma'))).resolves.toBe('403 login-refused');
      provider.key = key;
      for (const alg of [ 'none', 'HS256' ]) {
        const idToken = `${part({ alg })}.${part({ iss: provider.issuer, ...claimsOf('emma') })}.`;
        provider.misbehaviours.set('/token', (_request, response): void =>
          answerJson(response, 200, { access_token: 'a', token_type: 'Bearer', id_token: idToken }));
        await expect(refusal(person('emma'))).resolves.toBe('403 login-refused');
      }
    });

    it.each([
      [ 'missing', {}, '403 claim-missing' ],
      [ 'of another kind', { [numberClaim]: 85073099140 }, '403 identity-invalid' ],
      [ 'wrong in its check digits', { [numberClaim]: '85073099141' }, '403 identity-invalid' ],
    ])('when the number is %s.', async(_what, claims, refused): Promise<void> => {
      await expect(refusal(new LoggingIn(new UserAgent(base), provider, claims))).resolves.toBe(refused);
    });

    it('when the provider is not trusted for the citizen.', async(): Promise<void> => {
      const [ emma, lucas ] = [ 'emma', 'lucas' ].map((id): LoggingIn =>
        new LoggingIn(new UserAgent(base), provider, claimsOf(id), 'some'));
      await expect(refusal(lucas)).resolves.toBe('403 identity-invalid');
      expect((await emma.logIn()).status).toBe(200);
    });

    it.each([
      [ 'access_denied', '403 login-cancelled' ],
      [ 'server_error', '503 login-provider-away' ],
      [ 'invalid_scope', '403 login-refused' ],
    ])('when the provider answers %s.', async(error, refused): Promise<void> => {
      const one = person('emma');
      const { status, json } = await one.bring(provider.refuse(await one.begin(), error));
      expect(`${status} ${String(json.type).split('/').at(-1)}`).toBe(refused);
    });

    // Both at once: each takes the full time-out of this server.
    it('when the token or metadata endpoint does not respond.', async(): Promise<void> => {
      provider.misbehaviours.set('/token', faults[silent].does);
      await expect(Promise.all([
        refusal(person('emma')),
        refusalAtStart('/.well-known/openid-configuration', silent),
      ])).resolves.toEqual([ '503 login-provider-away', '503 login-provider-away' ]);
    });

    it.each(loud)('when the token endpoint %s.', async(fault): Promise<void> => {
      provider.misbehaviours.set('/token', faults[fault].does);
      await expect(refusal(person('emma'))).resolves.toBe(faults[fault].refused);
    });

    // In this order, because metadata is cached once read.
    it('when a provider\'s metadata is unavailable or malformed.', async(): Promise<void> => {
      for (const fault of loud) {
        await expect(refusalAtStart('/.well-known/openid-configuration', fault)).resolves.toBe(faults[fault].refused);
      }
    });

    it('when a provider\'s pushed requests or keys are unavailable or malformed.', async(): Promise<void> => {
      for (const fault of loud) {
        await expect(refusalAtStart('/par', fault)).resolves.toBe(faults[fault].refused);
        shaky.misbehaviours.set('/jwks', faults[fault].does);
        await expect(refusal(new LoggingIn(new UserAgent(base), shaky, claimsOf('emma'), 'shaky'))).resolves
          .toBe(faults[fault].refused);
      }
    });

    it('when a provider\'s pushed requests and keys get no response.', async(): Promise<void> => {
      const one = new LoggingIn(new UserAgent(base), shaky, claimsOf('emma'), 'shaky');
      const answer = await one.come();
      shaky.misbehaviours.set('/jwks', faults[silent].does);
      shaky.misbehaviours.set('/par', faults[silent].does);
      const both = await Promise.all([
        one.bring(answer),
        one.browser.ask('.account/login/national/', { provider: 'shaky' }),
      ]);
      const away = { status: 503, json: { type: problem('login-provider-away') }};
      expect(both).toMatchObject([ away, away ]);
      expect(one.browser.cookieNames).toEqual([ 'css-login@/' ]);
    });

    it('but not any longer once the provider has recovered.', async(): Promise<void> => {
      expect((await new LoggingIn(new UserAgent(base), shaky, claimsOf('emma'), 'shaky').logIn()).status).toBe(200);
    });

    it('with assertions for the token endpoint as audience, if so configured.', (): void => {
      const { aud } = decodeJwt(shaky.tokenRequests.at(-1)!.get('client_assertion')!);
      expect(aud).toBe(`${shaky.issuer}token`);
    });

    it('when the provider is unavailable from the start.', async(): Promise<void> => {
      const one = new LoggingIn(new UserAgent(base), provider, {}, 'away');
      const { json, status, type } = await one.browser.ask('.account/login/national/', { provider: 'away' });
      expect([ status, type, json.type ]).toEqual([ 503, 'application/problem+json', problem('login-provider-away') ]);
    });

    it('when the citizen is being erased, or suspended.', async(): Promise<void> => {
      const number = directory.findCitizen('mila')!.nationalNumber;
      const { webIds: [ webId ] } = await logInToApp(base, provider, claimsOf('mila'));
      await withRecords(async({ citizens, suspensions }): Promise<void> => {
        await suspensions.suspend(webId, new Date());
        await expect(refusal(person('mila'))).resolves.toBe('403 data-user-suspended');
        await suspensions.resume(webId);
        const { id } = (await citizens.findByNationalNumber(NationalNumber.stored(number)))!;
        await citizens.setState(id, 'DELETING');
        await expect(refusal(person('mila'))).resolves.toBe('409 citizen-leaving');
        await citizens.setState(id, 'ACTIVE');
      });
    });

    it('when another site or a form starts it.', async(): Promise<void> => {
      const { browser } = person('emma');
      const start = '.account/login/national/';
      for (const [ name, value ] of [[ 'origin', 'https://evil.example' ], [ 'sec-fetch-site', 'cross-site' ]]) {
        expect((await browser.ask(start, { provider: 'stateid' }, { [name]: value })).status).toBe(403);
      }
      const form = { 'content-type': 'application/x-www-form-urlencoded' };
      expect((await browser.ask(start, { provider: 'stateid' }, form)).status).toBe(415);
      for (const body of [{}, { provider: 'none' }, { provider: [ 'stateid' ]}]) {
        expect((await browser.ask(start, body)).status).toBe(400);
      }
      expect(browser.cookieNames).toEqual([]);
    });

    it('when another browser answers for a newcomer, or one answers twice.', async(): Promise<void> => {
      const one = person('jan');
      const { json: { ticket }} = await one.bring(await one.come());
      const other = person('jan');
      await other.begin();
      for (const [ who, said ] of [[ other, ticket ], [ one, 'x'.repeat(43) ], [ one, 1 ]] as const) {
        expect((await who.say(said, 'yes')).status).toBe(400);
      }
      expect((await one.browser.ask('.account/login/welcome/', { ticket, answer: 'perhaps' })).status).toBe(400);
      expect((await one.say(ticket, 'no')).status).toBe(200);
      expect((await one.say(ticket, 'yes')).status).toBe(400);
      expect((await webIdOf(await world.national.logIn('jan'))).status).toBe(404);
    });

    it('given any other answer.', async(): Promise<void> => {
      const one = person('emma');
      const request = new URL(await one.begin());
      const state = request.searchParams.get('state')!;
      const value = fc.oneof(fc.string(), fc.constantFrom(state, provider.issuer, '\0', 'access_denied'));
      const name = fc.constantFrom('state', 'code', 'iss', 'error', 'error_description', 'id_token', 'x');
      const answers = fc.array(fc.tuple(name, value), { maxLength: 6 });
      await fc.assert(fc.asyncProperty(answers, async(pairs): Promise<void> => {
        const { status, type } = await one.browser.ask(
          '.account/login/national/stateid/',
          { answer: new URLSearchParams(pairs).toString() },
        );
        expect([ 400, 403, 503 ]).toContain(status);
        expect(type).toBe('application/problem+json');
      }), { numRuns: 60 });
      expect(one.browser.cookieNames).toEqual([ 'css-login@/' ]);
    });

    it('each time with a row in the audit record that says why, without a number.', async(): Promise<void> => {
      await withRecords(async({ audit }): Promise<void> => {
        // Rows that may wait are written in order, and this is the last of them.
        await person('emma').browser.ask('.account/login/national/strong/', { answer: 'state=last' });
        let events: AuditEvent[] = [];
        await until(async(): Promise<boolean> => {
          events = (await audit.list(0, 5000)).map(({ event }): AuditEvent => event);
          return events.at(-1)?.facts?.provider === 'strong';
        });
        const reasons = events.filter(({ type }): boolean => type === 'login.refused')
          .map(({ facts }): string => String(facts?.reason));
        expect([ ...new Set(reasons) ].sort((one, other): number => one < other ? -1 : 1)).toEqual([
          'citizen-leaving',
          'claim-missing',
          'data-user-suspended',
          'declined',
          'identity-invalid',
          'login-cancelled',
          'login-not-open',
          'login-provider-away',
          'login-refused',
          'login-too-weak',
        ]);
      });
      const log = world.server.log();
      for (const { nationalNumber } of directory.citizens) {
        expect(log).not.toContain(nationalNumber);
      }
    });
  });

  it('leaves no readable secret or number in a copy of all data without the keys.', async(): Promise<void> => {
    async function stolenCopy(): Promise<(Buffer | string)[]> {
      const { stored } = world.server;
      return [ ...await stored.valueNames(), ...await stored.values(), ...await stored.records() ];
    }
    const one = person('jan');
    const answer = await one.come();
    const begun = await stolenCopy();
    const { json: { ticket }} = await one.bring(answer);
    const asked = await stolenCopy();
    const { nationalNumber } = directory.findCitizen('jan')!;
    const known = [ answer.searchParams.get('state')!, answer.searchParams.get('code')!, ticket as string ];
    const left = [ ...begun, ...asked ].filter((each): boolean =>
      mentions(each, nationalNumber) || known.some((secret): boolean => each.includes(secret)));
    expect(left).toEqual([]);
    expect((await one.say(ticket, 'no')).status).toBe(200);
  });

  describe('with a name', (): void => {
    const name = 'Zoë 𝒲 <b>Vermeulen';

    function named(id: string): LoggingIn {
      const claims = { ...claimsOf(id), person: { name: `\u202E ${name}` }};
      return new LoggingIn(new UserAgent(base), provider, claims, 'named');
    }

    it('shows it only to the browser that logged in, until log-out.', async(): Promise<void> => {
      const one = named('emma');
      expect((await one.logIn()).status).toBe(200);
      const { uri: webId } = await webIdOf((await logInToApp(base, provider, claimsOf('emma'))).client);
      await expect(nameIn(one)).resolves.toEqual({ name, webId });

      // Neither without the browser's secret, nor with the log-in of another citizen, nor without a name.
      await expect(nameIn(named('emma'))).resolves.toBeUndefined();
      const other = person('lucas');
      await other.logIn();
      await expect(nameIn(other)).resolves.toBeUndefined();
      // Another site can lead to the page that asks for the log-out there.
      await one.leave();
      await expect(nameIn(one)).resolves.toEqual({ name, webId });
      await one.logOut();
      await expect(nameIn(one)).resolves.toBeUndefined();
    });

    it('greets a newcomer by it, and keeps it out of tokens, records and log.', async(): Promise<void> => {
      const newcomer = named('jan');
      const { json } = await newcomer.bring(await newcomer.come());
      expect(json.name).toBe(name);
      expect((await newcomer.say(json.ticket, 'no')).status).toBe(200);

      const one = named('emma');
      const app = await SolidApp.register(base);
      const request = app.request();
      await one.browser.follow(request.url);
      const { json: { location }} = await one.logIn();
      const { back } = await app.consent(one.browser, location as string);
      const { stored } = world.server;
      const { claims, client } = await app.redeem(back, request.verifier);
      expect(JSON.stringify(claims)).not.toContain('Vermeulen');
      expect((await webIdOf(client)).status).toBe(200);
      const kept = [ ...await stored.valueNames(), ...await stored.values(), ...await stored.records() ];
      expect(kept.filter((each): boolean => each.includes('Vermeulen'))).toEqual([]);
      expect(world.server.log()).not.toContain('Vermeulen');
    });
  });

  it('ends here, then at the provider, without sending a number.', async(): Promise<void> => {
    const one = stock.person('key-of-its-own');
    await one.logIn();
    await expect(stock.person('key-of-its-own').leave()).resolves.toEqual({});
    await expect(one.leave()).resolves.toEqual({});
    await one.logOut();
    const { name, location } = await one.leave();
    expect(name).toBe('StateID');
    const { searchParams } = new URL(location!);
    expect(Object.fromEntries(searchParams)).toEqual({
      client_id: 'data-sharing',
      post_logout_redirect_uri: `${base}.account/login/`,
    });
    expect((await fetch(location!)).status).toBe(200);
    await expect(one.leave()).resolves.toEqual({});
  });

  it('replaces the browser\'s previous session.', async(): Promise<void> => {
    const one = person('emma');
    await one.logIn();
    const victim = person('lucas');
    victim.browser.steal(one.browser);
    await victim.logIn();
    const { json: { controls }} = await one.browser.ask<{ controls: Record<string, object> }>('.account/');
    expect(controls.account).not.toHaveProperty('logout');
  });
});
