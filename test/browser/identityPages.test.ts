import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Browser, Page, Route } from 'playwright-core';
import { createAccount, createPod } from '../../demo/lib/accounts';
import { json } from '../support/sharingWorld';
import type { TestServer } from '../support/world';
import { startServer } from '../support/world';
import type { AppServer, Watched } from './browser';
import { holdRequests, startApp, startBrowser, watch } from './browser';
import { violations } from './citizenWorld';

const payloads = [
  '<img src=x onerror=alert(1)>',
  '"><script>alert(2)</script>',
  '\' autofocus onfocus=alert(3) x=\'',
  '</title></textarea></script><svg onload=alert(4)>',
  '[link](javascript:alert(5)) ![image](x" onerror="alert(5))',
  '<iframe srcdoc="<script>parent.alert(6)</script>">',
];
const hostile = payloads.join(' ');
const challenge = { code_challenge: 'E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM', code_challenge_method: 'S256' };
const login = { email: 'ann@example.org', password: 'the long password of Ann' };

/** The pages of log-in, consent and accounts, in a real browser. */
describe('The pages of the identity provider', (): void => {
  let server: TestServer;
  let base: string;
  let browser: Browser;
  let app: AppServer;
  let open: Watched[];

  beforeAll(async(): Promise<void> => {
    [ server, browser, app ] = await Promise.all([ startServer(), startBrowser(), startApp() ]);
    ({ base } = server);
    await createPod(await createAccount(base, login), 'ann');
  });

  beforeEach((): void => {
    open = [];
  });

  /** Expects that no foreign script ran and no policy was violated: only text was inserted. */
  afterEach(async(): Promise<void> => {
    for (const { page, ran, complaints } of open) {
      await page.context().close();
      if (ran.length > 0 || complaints.length > 0) {
        throw new Error(`Scripts that ran: ${ran.join(', ')}. Complaints: ${complaints.join('\n')}`);
      }
    }
  });

  afterAll(async(): Promise<void> => {
    await browser?.close();
    await app?.stop();
    await server?.stop();
  });

  async function newPage(): Promise<Page> {
    const watched = await watch(browser);
    open.push(watched);
    return watched.page;
  }

  async function register(client: object): Promise<string> {
    const usual = { redirect_uris: [ `${app.base}back` ], token_endpoint_auth_method: 'none' };
    const response = await fetch(`${base}.oidc/reg`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ ...usual, ...client }),
    });
    return (await json<{ client_id: string }>(response)).client_id;
  }

  function authorization(clientId: string, parameters: Record<string, string> = {}): string {
    const query = new URLSearchParams({
      client_id: clientId,
      redirect_uri: `${app.base}back`,
      response_type: 'code',
      scope: 'openid webid offline_access',
      prompt: 'consent',
      ...challenge,
      ...parameters,
    });
    return `${base}.oidc/auth?${query.toString()}`;
  }

  async function logIn(page: Page, at = `${base}.account/login/password/`): Promise<void> {
    await page.goto(at);
    await page.fill('[name=email]', login.email);
    await page.fill('[name=password]', login.password);
    await page.click('[type=submit]:enabled');
    await page.waitForURL(/\/(?:consent|account\/[\w-]+)\/$/u);
    await settle(page);
  }

  it('take a person from an app to consent and back, with what the app says as text.', async(): Promise<void> => {
    const page = await newPage();
    const client = await register({ client_name: `Budget ${payloads[0]}` });
    await logIn(page, authorization(client, { state: hostile }));
    await page.waitForSelector('[name=webId]');
    await expect(page.textContent('body')).resolves.toContain(`Budget ${payloads[0]}`);
    await expect(page.textContent('h1')).resolves.toContain(new URL(app.base).host);
    await expect(page.title()).resolves.toContain('Data sharing');
    await page.click('#authorize:enabled');
    await page.waitForURL(`${app.base}back?**`);
    const { searchParams } = new URL(page.url());
    expect(searchParams.get('code')).not.toBeNull();
    expect(searchParams.get('state')).toBe(hostile);

    // Whoever goes back has nothing left to answer.
    await page.goto(`${base}.account/oidc/consent/`);
    await page.waitForURL(`${base}.account/account/*/`);
  });

  it.each([
    [ 'nl', 'horen niet bij elkaar' ],
    [ 'fr', 'ne vont pas ensemble' ],
    [ 'de', 'gehören nicht zusammen' ],
    [ 'en', 'do not belong together' ],
  ])('say in the language of the page that a password is wrong, %s.', async(locale, words): Promise<void> => {
    const watched = await watch(browser, { locale });
    open.push(watched);
    const { page } = watched;
    await page.goto(`${base}.account/login/password/`);
    await page.fill('[name=email]', login.email);
    await page.fill('[name=password]', 'not the password of Ann');
    await page.click('[type=submit]:enabled');
    await page.waitForSelector('#error:not([hidden])');
    await expect(page.textContent('#error')).resolves.toContain(words);
    await expect(page.textContent('body')).resolves.not.toContain('Community Solid Server');
  });

  it.each([
    [ 'nl', 'dark' ],
    [ 'fr', 'light' ],
    [ 'de', 'dark' ],
    [ 'en', 'light' ],
  ] as const)('fit a phone, with refusals of the server in the language of the page, %s and %s.', async(
    locale,
    colorScheme,
  ): Promise<void> => {
    const watched = await watch(browser, { locale, colorScheme, viewport: { width: 320, height: 640 }});
    open.push(watched);
    const { page } = watched;
    async function look(path: string): Promise<void> {
      const answer = await page.goto(new URL(path, base).href);
      await settle(page);
      await inspect(path, answer?.status());
    }
    async function inspect(path: string, status?: number): Promise<void> {
      const body = await page.textContent('body');
      const isWide = await page.evaluate('document.documentElement.scrollWidth > document.documentElement.clientWidth');
      const language = await page.evaluate('document.documentElement.lang');
      expect({ path, isWide, language, isOwn: !/Community Solid|undefined|\[object/u.test(body ?? '') })
        .toEqual({ path, isWide: false, language: locale, isOwn: true });
      await expect(page.textContent('header')).resolves.toContain('Data sharing');
      await page.setViewportSize({ width: 1100, height: 640 });
      const isBesideHeading = await page.evaluate(`[ ...document.querySelectorAll('main .btn') ]
        .some((button) => button.offsetParent !== null &&
          button.getBoundingClientRect().left < document.querySelector('h1').getBoundingClientRect().left)`);
      expect([ path, isBesideHeading ]).toEqual([ path, false ]);
      await page.setViewportSize({ width: 320, height: 640 });
      // No part of a page has the page's own heading.
      const [ first, ...others ] = await page.locator('h1, h2').allTextContents();
      expect([ path, others.map((text): string => text.trim()) ])
        .toEqual([ path, expect.not.arrayContaining([ first.trim() ]) ]);
      expect([ path, status ?? 200 ]).toEqual([ path, path.includes('none') ? 404 : 200 ]);
    }
    /** Fills in a form that is refused; returns the message. */
    async function refused(fields: Record<string, string>): Promise<string> {
      for (const [ name, value ] of Object.entries(fields)) {
        await page.fill(`[name=${name}]`, value);
      }
      // An earlier message must not be mistaken for the expected one.
      await page.evaluate('document.getElementById("error").hidden = true');
      await page.click('[type=submit]:enabled');
      await page.waitForSelector('#error:not([hidden])');
      return (await page.textContent('#error'))!;
    }

    const said: string[] = [];
    for (const path of [ '.account/', '.account/login/', '.account/login/password/', '.account/none' ]) {
      await look(path);
    }
    await look('.account/login/password/register/');
    const { email } = login;
    said.push(
      await refused({ email, password: 'short', confirmPassword: 'short' }),
      await refused({ email, password: 'passwordpassword', confirmPassword: 'passwordpassword' }),
      await refused({ email, password: login.password, confirmPassword: login.password }),
    );
    await inspect('refused');
    await look('.account/login/password/reset/?rid=nobody');
    said.push(await refused({ password: login.password, confirmPassword: login.password }));
    // An account was begun, and is abandoned.
    await page.context().clearCookies();
    const client = await register({ client_name: `Budget ${'x'.repeat(300)}` });
    await logIn(page, authorization(client));
    await page.waitForSelector('[name=webId]');
    await inspect('consent');
    await look('.account/account/');
    await page.waitForURL(/\/account\/[\w-]+\/$/u);
    const account = page.url();
    for (const path of [ 'pod/', 'webid/', 'client-credentials/', 'login/password/' ]) {
      await look(account + path);
    }
    await look(`${account}pod/`);
    said.push(await refused({ name: 'ann' }), await refused({ name: 'v1' }), await refused({ name: 'x'.repeat(226) }));
    await look(`${account}webid/`);
    said.push(
      await refused({ webId: 'ftp://x.example/' }),
      await refused({ webId: `${base}ann/profile/card#me` }),
      await refused({ webId: `${base}ann/profile/./card#me` }),
    );
    await look(account);
    await page.click('#passwords .acts a');
    await settle(page);
    await inspect('another password');
    const [ oldPassword, newPassword, confirmPassword ] = [ 'wrong', login.password, login.password ];
    said.push(await refused({ oldPassword, newPassword, confirmPassword }));
    await look('.oidc/session/end');
    await look('.oidc/session/end/success');
    const words = JSON.parse(await readFile(join(__dirname, `../../templates/pages/words/${locale}.json`), 'utf8')) as
      Record<string, string>;
    const expected = 'passwordShort passwordCommon addressTaken linkEnded nameTaken nameTaken tooLong ' +
      'notAWebId alreadyLinked spelling oldPassword';
    expect(said.map((text): string => text.replaceAll('\u00A0', ' ').replace(`${base}ann/profile/card#me`, '{line}')))
      .toEqual(expected.split(' ').map((key): string => words[`script.${key}`]));
  });

  it('are in the language that a person chooses, from then on.', async(): Promise<void> => {
    const page = await newPage();
    const client = await register({ client_name: 'Budget' });
    await page.goto(authorization(client));
    await page.waitForURL('**/.account/login/password/');
    await page.getByRole('link', { name: 'Nederlands' }).click();
    await page.waitForSelector('html[lang=nl] .tools [hreflang=nl][aria-current]');
    await expect(violations(page)).resolves.toEqual([]);
    await page.fill('[name=email]', login.email);
    await page.fill('[name=password]', login.password);
    await page.click('[type=submit]:enabled');
    await page.waitForSelector('html[lang=nl] [name=webId]');
    await page.getByRole('link', { name: 'Deutsch' }).click();
    await page.waitForSelector('html[lang=de] [name=webId]');
    await page.goto(base);
    await page.waitForSelector('html[lang=de]');
  });

  it('of an account are in the language that its holder chooses, too.', async(): Promise<void> => {
    const page = await newPage();
    await logIn(page);
    await page.getByRole('link', { name: 'Français' }).click();
    await page.waitForSelector('html[lang=fr] #pods li');
    await expect(violations(page)).resolves.toEqual([]);
    await page.click('#pods li a:has-text("Modifier")');
    await page.getByRole('link', { name: 'Deutsch' }).click();
    await page.waitForSelector('html[lang=de] #owners li');
    await page.goBack();
    await page.waitForSelector('html[lang=de] #pods li');
  });

  it('say that the log-in has ended meanwhile, and lead to the log-in.', async(): Promise<void> => {
    const page = await newPage();
    await logIn(page);
    const account = page.url();
    await page.click('#pods .acts a');
    await page.waitForSelector('#owners button:enabled');
    const isVisible = await page.isChecked('#owners input');
    await page.context().clearCookies();
    await page.click('#owners input');
    await page.waitForSelector('#error:focus:has-text("You were logged out.")');
    await expect(page.isChecked('#owners input')).resolves.toBe(isVisible);
    await expect(violations(page)).resolves.toEqual([]);
    await page.click('#error a:has-text("Go to the log-in page")');
    await page.waitForURL(`${base}.account/login/password/`);
    // Such as from the history of the browser.
    await page.goto(`${account}client-credentials/`);
    await page.waitForSelector('#error:focus:has-text("You were logged out.")');
  });

  it('say that the question of an app was open too long.', async(): Promise<void> => {
    const page = await newPage();
    await logIn(page, authorization(await register({ client_name: 'Budget' })));
    await page.waitForSelector('#authorize:enabled');
    await page.context().clearCookies();
    for (const button of [ '#cancel', '#authorize' ]) {
      await page.evaluate('document.getElementById("error").hidden = true');
      await page.click(button);
      await page.waitForSelector('#error:focus:has-text("This page was open too long. Log in again.")');
    }
  });

  it('allow the app that they show, not one whose log-in began since in another tab.', async(): Promise<void> => {
    const page = await newPage();
    const [ known, sly ] = [ await register({ client_name: 'Budget' }), await register({ client_name: 'Sly' }) ];
    await logIn(page, authorization(known));
    await page.waitForSelector('#authorize:enabled');
    const other = await page.context().newPage();
    await other.goto(authorization(sly));
    await other.waitForSelector('#named:has-text("Sly")');
    await page.bringToFront();
    await page.check('[name=webId]');
    await page.click('#authorize');
    await page.waitForSelector('#error:has-text("Another app")');
    expect(page.url()).toContain(base);
    await page.reload();
    await page.waitForSelector('#named:has-text("Sly")');
  });

  it('return a person who refuses to the app.', async(): Promise<void> => {
    const page = await newPage();
    await logIn(page, authorization(await register({ client_name: 'Budget' })));
    // A page that waits says nothing at first.
    await page.clock.install({ time: 0 });
    await page.clock.pauseAt(60_000);
    const held = await holdRequests(page, '**/.account/oidc/pick-webid/');
    await page.reload();
    await held.asked;
    await page.clock.runFor(399);
    await expect(page.isVisible('#moment p')).resolves.toBe(false);
    await page.clock.runFor(1);
    await page.waitForSelector('#moment p:has-text("One moment")');
    held.release();
    await page.waitForSelector('#asking');
    await expect(page.isVisible('#moment p')).resolves.toBe(false);
    await page.click('#cancel');
    await page.waitForURL(`${app.base}back?**`);
    expect(new URL(page.url()).searchParams.get('error')).toBe('access_denied');
  });

  it('do not run markup from an app\'s own document.', async(): Promise<void> => {
    const clientId = `${app.base}app`;
    app.documents.set('/app', {
      '@context': [ 'https://www.w3.org/ns/solid/oidc-context.jsonld' ],
      client_id: clientId,
      client_name: `${hostile} \u202Egnp.exe`,
      redirect_uris: [ `${app.base}back` ],
      client_uri: `${app.base}"><script>alert(1)</script>`.replaceAll(/[<>"]/gu, encodeURIComponent),
      logo_uri: `${app.base}x' onerror='alert(1)`.replaceAll(' ', '%20'),
      scope: 'openid webid offline_access',
    });
    const page = await newPage();
    await logIn(page, authorization(clientId));
    await page.waitForSelector('[name=webId]');
    const text = await page.textContent('body');
    expect(text).toContain(payloads[0]);
    expect(text).not.toContain('\u202E');
    // No picture that an app chooses: it could imitate another app, and track visitors.
    await expect(page.locator('img').count()).resolves.toBe(0);
  });

  it('redirect nobody to an unencrypted address from an app\'s document.', async(): Promise<void> => {
    for (const uri of [ 'http://evil.example/back', 'https://trusted.example@evil.example/', 'javascript:alert(1)' ]) {
      const path = `/${encodeURIComponent(uri)}`;
      const clientId = new URL(path, app.base).href;
      app.documents.set(path, {
        '@context': [ 'https://www.w3.org/ns/solid/oidc-context.jsonld' ],
        client_id: clientId,
        redirect_uris: [ uri ],
      });
      const response = await fetch(authorization(clientId, { redirect_uri: uri }), { redirect: 'manual' });
      expect([ uri, response.status, response.headers.get('location') ]).toEqual([ uri, 400, null ]);
    }
  });

  it('do not run markup from a request.', async(): Promise<void> => {
    const page = await newPage();
    const client = await register({});
    const names = 'client_id redirect_uri scope response_type response_mode prompt max_age claims login_hint ' +
      'ui_locales acr_values id_token_hint display request nonce code_challenge resource';
    const urls = [
      ...names.split(' ').map((name): string => authorization(client, { [name]: hostile })),
      ...[ 'client_id', 'redirect_uri' ].map((name): string =>
        authorization(client, { [name]: `javascript:alert(7)//${hostile}` })),
      ...[ 'post_logout_redirect_uri', 'state', 'id_token_hint', 'logout_hint', 'client_id', 'ui_locales' ]
        .map((name): string => `${base}.oidc/session/end?${name}=${encodeURIComponent(hostile)}`),
      `${base}.oidc/session/end?client_id=${client}&post_logout_redirect_uri=javascript:alert(8)`,
      `${base}.oidc/session/end/success?client_id=${encodeURIComponent(hostile)}`,
      `${base}.oidc/auth/${encodeURIComponent(hostile)}`,
      `${base}.oidc/${encodeURIComponent(hostile)}`,
      `${base}.account/${encodeURIComponent(hostile)}`,
      `${base}.account/account/${encodeURIComponent(hostile)}/pod/x/`,
      `${base}.account/login/password/reset/?rid=${encodeURIComponent(hostile)}#${encodeURIComponent(hostile)}`,
      `${base}.account/login/password/?${encodeURIComponent(hostile)}=javascript:alert(9)#${hostile}`,
      `${base}.account/oidc/consent/?client_name=${encodeURIComponent(hostile)}`,
    ];
    for (const url of urls) {
      await page.goto(url);
      await settle(page);
      // Error pages have only the link home.
      const links = await page.locator('a').evaluateAll((all): string[] =>
        all.map((link): string => (link as unknown as { href: string }).href));
      expect(links.filter((link): boolean => !link.startsWith(base))).toEqual([]);
    }
  });

  it('have a strict policy: no foreign scripts, no frames, no caching.', async(): Promise<void> => {
    const page = await newPage();
    const paths = '.account/ .account/login/ .account/login/password/ .account/login/password/forgot/ ' +
      '.account/login/password/register/ .account/account/ .account/oidc/consent/ .account/none .oidc/none ' +
      '.account/login/national/ .account/login/national/stateid/ .account/login/welcome/ .account/oidc/pick-webid/ ' +
      '.oidc/auth .oidc/session/end';
    for (const path of paths.split(' ')) {
      const response = await page.request.get(base + path, { headers: { accept: 'text/html' }});
      const policy = response.headers()['content-security-policy'];
      const directives = new Map(policy.split(';').map((directive): [string, string] => {
        const [ name, ...values ] = directive.trim().split(' ');
        return [ name, values.join(' ') ];
      }));
      for (const name of [ 'default-src', 'object-src', 'base-uri', 'frame-ancestors' ]) {
        expect([ path, name, directives.get(name) ]).toEqual([ path, name, '\'none\'' ]);
      }
      expect([ path, directives.get('require-trusted-types-for') ]).toEqual([ path, '\'script\'' ]);
      expect([ path, directives.get('script-src') ]).toEqual([ path, expect.not.stringMatching(/unsafe|'self'|\*/u) ]);
      expect([ path, directives.has('form-action') ]).toEqual([ path, true ]);
      expect([ path, response.headers()['cache-control'] ]).toEqual([ path, expect.stringContaining('no-store') ]);
    }
  });

  it('load no script from a pod.', async(): Promise<void> => {
    const watched = await watch(browser);
    await watched.page.goto(`${base}.account/login/password/`);
    await watched.page.evaluate(`(() => {
      const script = document.createElement('script');
      try { script.src = '/ann/README'; } catch { /* Trusted Types. */ }
      document.head.append(script);
      const image = document.createElement('img');
      image.setAttribute('onerror', 'alert(1)');
      image.src = '/none';
      document.body.append(image);
    })()`).catch((): void => { /* Trusted Types. */ });
    await settle(watched.page);
    expect(watched.ran).toEqual([]);
    expect(watched.complaints.length).toBeGreaterThan(0);
    await watched.page.context().close();
  });

  it('show every response of the account interface as text.', async(): Promise<void> => {
    const page = await newPage();
    await logIn(page);
    const account = page.url();
    const below = [ 'client-credentials/', 'webid/', 'pod/' ].map((path): string => account + path);
    const pages = [ account, ...below, `${base}.account/login/` ];
    await page.route((url): boolean => url.href.startsWith(`${base}.account/`), spoil);
    for (const url of pages) {
      await page.goto(url);
      await settle(page);
    }
    await page.goto(account);
    await settle(page);
    await expect(page.textContent('body')).resolves.toContain(payloads[0]);
    await page.unrouteAll();
    await page.route((url): boolean => url.pathname.startsWith('/.account/oidc/'), spoil);
    await page.goto(authorization(await register({})));
    await settle(page);
    await expect(page.textContent('body')).resolves.toContain(payloads[0]);
  });

  it('let a person create an account, a vault and a key, and delete the account.', async(): Promise<void> => {
    const page = await newPage();
    await page.goto(`${base}.account/login/password/`);
    await page.click('#register a');
    await page.waitForURL('**/register/');
    await page.fill('[name=email]', 'ben@example.org');
    await page.fill('[name=password]', 'the long password of Ben');
    await page.fill('[name=confirmPassword]', 'another one');
    await page.click('[type=submit]:enabled');
    await page.waitForSelector('#error:not([hidden])');
    await page.fill('[name=confirmPassword]', 'the long password of Ben');
    await page.click('[type=submit]:enabled');
    await page.waitForURL(/\/account\/[\w-]+\/$/u);
    const account = page.url();

    await page.click('#createPod a');
    await page.fill('[name=name]', 'Ben');
    await page.click('[type=submit]:enabled');
    await page.waitForSelector('#done:not([hidden])');
    await expect(page.textContent('#pod')).resolves.toBe(`${base}ben/`);
    await page.click('#next');
    await page.waitForURL(account);

    await page.click('#pods .acts a');
    await page.waitForSelector('#owners li');
    await page.fill('[name=webId]', `https://carol.example/card#${payloads[0]}`);
    await page.click('[type=submit]:enabled');
    // A vault belongs to WebIDs of its account only.
    await page.waitForSelector('#error:not([hidden])');
    await expect(page.locator('#owners li').count()).resolves.toBe(1);
    await page.goto(account);

    await page.click('#createCredentials a');
    await page.fill('[name=name]', payloads[0]);
    await page.click('[type=submit]:enabled');
    await page.waitForSelector('#done:not([hidden])');
    await expect(page.textContent('#secret')).resolves.toHaveLength(128);
    await page.click('#next');
    await page.waitForSelector('#credentials li button');
    await expect(page.textContent('#credentials li button')).resolves.toMatch(/^Remove: -img-src-x-/u);
    await page.click('#credentials li button');
    await page.waitForSelector('#credentials li', { state: 'detached' });
    await page.waitForSelector('#credentials h2:focus');

    await page.click('#passwords .acts a');
    await page.fill('[name=oldPassword]', 'the long password of Ben');
    await page.fill('[name=newPassword]', 'a newer password of Ben');
    await page.fill('[name=confirmPassword]', 'a newer password of Ben');
    await page.click('[type=submit]:enabled');
    await page.waitForURL(account);

    await page.click('#createPassword a');
    await page.fill('[name=email]', 'benjamin@example.org');
    await page.fill('[name=password]', 'a second password of Ben');
    await page.fill('[name=confirmPassword]', 'a second password of Ben');
    await page.click('[type=submit]:enabled');
    await page.waitForURL(account);

    await page.click('#linkWebId a');
    await page.fill('[name=webId]', 'https://none.example/card');
    await page.click('[type=submit]:enabled');
    await page.waitForSelector('#error:not([hidden])');
    await page.goto(account);

    // Scripts cannot reach the log-in.
    await expect(page.evaluate('document.cookie')).resolves.toBe('');
    // On a slow line, nobody clicks a button that does nothing yet.
    const held = await holdRequests(page, `${base}.account/`);
    await page.goto(account);
    await held.asked;
    await expect(page.isDisabled('#logout')).resolves.toBe(true);
    held.release();
    await page.click('#logout');
    await page.waitForURL('**/login/**');
    await page.goto(account);
    await page.waitForURL('**/login/**');
  });

  it('ask before logging a person out, and lead back to the app.', async(): Promise<void> => {
    const page = await newPage();
    const client = await register({ client_name: hostile, post_logout_redirect_uris: [ `${app.base}out` ]});
    await logIn(page, authorization(client));
    await page.click('#authorize:enabled');
    await page.waitForURL(`${app.base}back?**`);
    const out = { post_logout_redirect_uri: `${app.base}out`, state: hostile };
    const query = new URLSearchParams({ client_id: client, ...out });
    await page.goto(`${base}.oidc/session/end?${query.toString()}`);
    await page.click('[name=logout]');
    await page.waitForURL(`${app.base}out?**`);
    // Nobody is logged in: no question is needed.
    await page.goto(`${base}.oidc/session/end?${query.toString()}`);
    await page.waitForURL(`${app.base}out?**`);
    await page.goto(`${base}.oidc/session/end`);
    await page.waitForURL('**/session/end/success**');
    await expect(page.textContent('h1')).resolves.toBe('Done');
  });

  it('send a response by form post, when an app asks for that.', async(): Promise<void> => {
    const page = await newPage();
    await logIn(page, authorization(await register({}), { response_mode: 'form_post', state: hostile }));
    await page.click('#authorize:enabled');
    await page.waitForURL(`${app.base}back`);
  });
});

/** Waits until the script of a page has filled it: its last request is answered and its button can be pressed. */
async function settle(page: Page): Promise<void> {
  await page.waitForLoadState('networkidle');
}

/** Puts a payload into every text and name of a response, except the addresses of the interface itself. */
async function spoil(route: Route): Promise<void> {
  const response = await route.fetch();
  if (!(response.headers()['content-type'] ?? '').includes('json')) {
    return route.fulfill({ response });
  }
  const { controls, location, ...rest } = await response.json() as Record<string, unknown>;
  return route.fulfill({ response, json: { ...spoiled(rest) as object, controls, location }});
}

function spoiled(value: unknown): unknown {
  if (typeof value === 'string') {
    return value + hostile;
  }
  if (Array.isArray(value)) {
    return value.map(spoiled);
  }
  return typeof value === 'object' && value !== null ? spoiledMembers(value) : value;
}

/** Names of members that come from people contain a URL or a mail address: those of the interface stay. */
function spoiledMembers(value: object): object {
  return Object.fromEntries(Object.entries(value).map(([ name, member ]): [string, unknown] =>
    [ /[:@]/u.test(name) ? name + hostile : name, spoiled(member) ]));
}
