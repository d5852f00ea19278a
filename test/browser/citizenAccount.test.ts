import type { Page } from 'playwright-core';
import { SolidApp } from '../support/SolidApp';
import { json, until } from '../support/sharingWorld';
import type { Client } from '../support/world';
import { accountWithPod } from '../support/world';
import { holdRequests } from './browser';
import { CitizenWorld, faultsOf, login, pressOffline } from './citizenWorld';

/** Logs out on the page of the account, up to the page of its log-in. */
async function logOutOfAccount(page: Page, base: string): Promise<void> {
  await page.goto(`${base}.account/account/`);
  await page.click('#logout:enabled');
  await page.waitForURL(`${base}.account/login/password/`);
}

/** The pages for activity, log-ins and erasure, in a real browser and on the real server. */
describe('The pages about the citizen', (): void => {
  let citizens: CitizenWorld;
  let page: Page;

  beforeAll(async(): Promise<void> => {
    citizens = await CitizenWorld.start({ usual: {}});
  });

  beforeEach(async(): Promise<void> => {
    page = await citizens.open();
  });

  afterEach(async(): Promise<void> => citizens.close());

  afterAll(async(): Promise<void> => {
    await citizens?.stop();
  });

  describe('show what happened', (): void => {
    it('by day, with who read what, filtered as the citizen asks.', async(): Promise<void> => {
      const { citizen, consumer, world } = citizens;
      const [ shared ] = await world.shareAll(citizen);
      expect((await world.read(consumer.client, shared)).status).toBe(200);
      // A read is recorded up to a second later.
      await until(async(): Promise<boolean> =>
        (await (await citizen.client.request('GET', `${world.base}v1/activity`)).text()).includes('"resource.read"'));
      await citizens.logIn(page, `${citizens.pages}activity`);
      await page.waitForSelector('.log li:has-text("Meerling <b>Bank</b> read your diploma")');
      await page.waitForSelector('.log li:has-text("You shared your diploma with Meerling <b>Bank</b>")');
      await expect(page.textContent('.row:has(.log) h2')).resolves.toMatch(/^\w+day,? \d+\u00A0\w+ \d{4}$/u);
      await expect(faultsOf(page, 'activity')).resolves.toEqual([]);

      await page.selectOption('#kind', { label: 'Reading' });
      await page.selectOption('#who', { label: 'Meerling <b>Bank</b>' });
      // Nothing changes before it is asked for.
      await expect(page.locator('.log li:has-text("You shared")').count()).resolves.toBeGreaterThan(0);
      await page.click('button:has-text("Show")');
      await expect(page.locator('.log li:has-text("You shared")').count()).resolves.toBe(0);
      await page.waitForSelector('[role=status]:text-matches("^[0-9]+ lines?$")');
      await expect(page.locator('.log li:has-text("read your diploma")').count()).resolves.toBeGreaterThan(0);
      await page.selectOption('#kind', { label: 'Logging in' });
      await page.click('button:has-text("Show")');
      await page.waitForSelector('text=Nothing found. Choose something else.');
    });

    it('with older entries on request.', async(): Promise<void> => {
      const { citizen, world } = citizens;
      await Promise.all(Array.from({ length: 60 }, async(): Promise<unknown> => world.list(citizen)));
      await citizens.logIn(page, `${citizens.pages}activity`);
      await page.waitForSelector('.log li');
      const before = await page.locator('.log li').count();
      await pressOffline(page, 'button:has-text("Show older")');
      const held = await holdRequests(page, '**/v1/activity?**');
      await page.click('button:has-text("Show older")');
      // The second press does nothing.
      await page.press('.acts [aria-disabled=true]:has-text("Loading…")', 'Enter');
      await page.waitForSelector('[role=status]:has-text("Loading…")');
      expect(held.count()).toBe(1);
      held.release();
      await page.waitForSelector('.log li:has-text("You began here")');
      await expect(page.evaluate(`document.activeElement === document.querySelectorAll('.log li')[${before}]`)).resolves
        .toBe(true);
      await expect(page.textContent('[role=status]')).resolves.toContain('added to the list.');
      await expect(page.locator('.log li').count()).resolves.toBeGreaterThan(60);
    });

    it('with who read what, however much strangers ask.', async(): Promise<void> => {
      const { citizen, consumer, world } = citizens;
      await world.writeDiploma(citizen, 2);
      for (const shared of await world.shareAll(citizen)) {
        expect((await world.read(consumer.client, shared)).status).toBe(200);
      }
      await until(async(): Promise<boolean> =>
        (await (await citizen.client.request('GET', `${world.base}v1/activity?reads=true&limit=1`)).text())
          .includes('"resource.read"'));
      const stranger = await accountWithPod(world.base, 'insistent');
      const credential = {
        '@context': [ 'https://www.w3.org/2018/credentials/v1' ],
        type: [ 'SolidAccessRequest' ],
        credentialSubject: {
          hasConsent: {
            mode: [ 'Read' ],
            hasStatus: 'ConsentStatusRequested',
            forPersonalData: [ `${citizen.podUrl}letters/` ],
            isConsentForDataSubject: citizen.webId,
          },
        },
      };
      await Promise.all(Array.from({ length: 60 }, async(): Promise<unknown> =>
        json(await stranger.client.request('POST', `${world.base}.access/issue`, { body: { credential }}))));
      await citizens.logIn(page, `${citizens.pages}activity`);
      await page.waitForSelector('.log li:has-text("insistent")');
      await expect(page.locator('.log li:has-text("read your diploma")').count()).resolves.toBe(0);
      await page.selectOption('#kind', { label: 'Reading' });
      await page.click('button:has-text("Show")');
      await page.waitForSelector('.log li:has-text("read your diploma")');
      await expect(page.locator('.log li:has-text("insistent")').count()).resolves.toBe(0);
      await page.selectOption('#kind', { index: 0 });
      await page.click('button:has-text("Show")');
      await page.waitForSelector('.log li:has-text("insistent")');
    });
  });

  describe('end a log-in', (): void => {
    it('and confirm it.', async(): Promise<void> => {
      await citizens.logIn(page, `${citizens.pages}identity`);
      await page.waitForSelector('.row');
      // Not here alone, when the identity provider cannot be asked.
      await page.reload();
      await page.waitForSelector('.row');
      await page.route('**/.well-known/openid-configuration', async(route): Promise<void> => route.abort());
      await page.click('text=Log out');
      await page.waitForSelector('.note.warn:focus:has-text("Something went wrong on our side")');
      await page.unroute('**/.well-known/openid-configuration');
      await page.reload();
      await page.waitForSelector('.row');
      await page.click('text=Log out');
      await page.waitForURL(`${citizens.world.base}.oidc/session/end**`);
      await page.click('[name=logout]');
      await page.waitForURL(`${citizens.pages}logged-out**`);
      await page.waitForSelector('h1:has-text("You are logged out")');
      await expect(page.locator('text=Log out').count()).resolves.toBe(0);
      await expect(faultsOf(page, 'logged-out')).resolves.toEqual([]);
    });

    it('with that to the account.', async(): Promise<void> => {
      await citizens.logIn(page, `${citizens.pages}identity`);
      await page.waitForSelector('.row');
      await page.reload();
      await page.waitForSelector('.row');
      await logOutOfAccount(page, citizens.world.base);
      await page.goto(citizens.pages);
      await page.waitForSelector('.acts button:has-text("Log in")');
      await expect(page.locator('text=Log out').count()).resolves.toBe(0);
    });

    it('with the log-in to another account.', async(): Promise<void> => {
      const { pages, world: { base }} = citizens;
      await citizens.logIn(page, `${pages}identity`);
      await page.waitForSelector('.row');
      await logOutOfAccount(page, base);
      await page.fill('[name=email]', 'consumer@example.org');
      await page.fill('[name=password]', 'password of consumer');
      await page.click('[type=submit]:enabled');
      await page.waitForURL(`${base}.account/account/**`);
      await page.goto(pages);
      await page.waitForSelector('.acts button:has-text("Log in")');
      await expect(page.locator('text=Log out').count()).resolves.toBe(0);
    });

    it('and do not say so to somebody who is logged in.', async(): Promise<void> => {
      await citizens.logIn(page, `${citizens.pages}identity`);
      await page.waitForSelector('.row');
      await page.goto(`${citizens.pages}logged-out`);
      await page.waitForURL(citizens.pages);
      await page.waitForSelector('.acts a:has-text("Who you share with")');
      await expect(page.locator('h1:has-text("You are logged out")').count()).resolves.toBe(0);
    });
  });

  describe('show the citizen\'s identity', (): void => {
    it('and the apps that are logged in, each logged out at once.', async(): Promise<void> => {
      const { base } = citizens.world;
      const apps: Client[] = [];
      for (const name of [ 'Leeswijzer <b>\u202E', undefined ]) {
        apps.push((await (await SolidApp.register(base, name)).logIn(login)).client);
      }
      await citizens.logIn(page, `${citizens.pages}identity`);
      await page.waitForSelector('li:has-text("The app you use now")');
      await page.waitForSelector('h3:has-text("Leeswijzer <b>")');
      await expect(page.locator('.items button').count()).resolves.toBe(2);
      await expect(faultsOf(page, 'identity-apps')).resolves.toEqual([]);
      await expect(statuses(apps, base)).resolves.toEqual([ 200, 200 ]);

      await pressOffline(page, 'button:has-text("Log out Leeswijzer <b>")');
      // A failure is shown there, and nothing changes.
      await page.route('**/v1/apps/*', async(route): Promise<void> => route.abort());
      await page.click('button:has-text("Log out Leeswijzer <b>")');
      await page.waitForSelector('li:has-text("Leeswijzer") .flag:has-text("Something went wrong")');
      await page.unroute('**/v1/apps/*');
      // A log-in that was ended elsewhere is no failure of ours.
      await page.route('**/v1/apps/*', async(route): Promise<void> =>
        route.fulfill({ status: 401, headers: { 'www-authenticate': 'DPoP error="invalid_token"' }}));
      await page.click('button:has-text("Log out Leeswijzer <b>")');
      await page.waitForSelector('li:has-text("Leeswijzer") .flag:has-text("You were logged out")');
      await expect(page.textContent('[role=status]')).resolves.toBe('You were logged out');
      await page.unroute('**/v1/apps/*');
      await page.click('.note:has-text("You were logged out") button:has-text("Log in")');
      await page.waitForSelector('.note', { state: 'detached' });
      await page.waitForSelector('h3:has-text("Leeswijzer <b>")');

      await page.click('button:has-text("Log out Leeswijzer <b>")');
      await page.waitForSelector('h3:has-text("Leeswijzer")', { state: 'detached' });
      await expect(page.textContent('[role=status]')).resolves.toContain('Leeswijzer <b> is logged out.');
      await expect(page.evaluate('document.activeElement.textContent')).resolves.toBe('Log out App without a name');
      await expect(statuses(apps, base)).resolves.toEqual([ 401, 200 ]);
      await page.keyboard.press('Enter');
      await page.waitForSelector('text=No other app is logged in.');
      await expect(page.evaluate('document.activeElement.id')).resolves.toBe('apps');
      await expect(statuses(apps, base)).resolves.toEqual([ 401, 401 ]);
      // These pages stay logged in.
      await page.reload();
      await page.waitForSelector('text=No other app is logged in.');
      // It is confirmed afterwards.
      await page.click('text=Activity');
      const told = '.log li:has-text("You logged out the app Leeswijzer <b>")';
      await expect(page.textContent(`${told} bdi:not(strong bdi)`)).resolves.toBe('Leeswijzer <b>');
      await page.waitForSelector('.log li:has-text("You logged out an app without a name")');
    });

    it('and erase everything, after a ticked confirmation and a fresh log-in.', async(): Promise<void> => {
      const { citizen, world } = citizens;
      await world.shareAll(citizen);
      await citizens.logIn(page, `${citizens.pages}identity`);
      await page.waitForSelector(`code:has-text("${citizen.webId}")`);
      const text = await page.textContent('main');
      expect(text).toContain('You had it before you came here.');
      expect(text).toContain('We keep it encrypted, to recognise you and to ask the sources for your data.');
      await expect(page.getAttribute('main a:has-text("account")', 'href')).resolves.toBe(`${world.base}.account/`);
      await page.click('button:has-text("Copy the address")');
      await page.waitForSelector('[role=status]:has-text("Copied")');
      await page.evaluate('document.body.append(document.createElement("textarea"))');
      await page.focus('textarea');
      await page.keyboard.press('Control+V');
      await expect(page.inputValue('textarea')).resolves.toBe(citizen.webId);
      await page.reload();
      await page.waitForSelector(`code:has-text("${citizen.webId}")`);
      await expect(faultsOf(page, 'identity')).resolves.toEqual([]);
      await page.click('text=See what erasing does');
      await page.waitForSelector('li:has-text("1 organisation loses access at once")');
      await page.waitForSelector('p:has-text("were there before. They stay. Only what we added is erased.")');
      await expect(page.locator('.row:has-text("What is erased") li').count()).resolves.toBe(2);
      await expect(faultsOf(page, 'erase')).resolves.toEqual([]);

      // Without the tick nothing is erased, and an error is shown beside it.
      await page.click('button:has-text("Erase everything")');
      await page.waitForSelector('.note.bad');
      await expect(page.title()).resolves.toMatch(/^Error: Erase everything\? – /u);
      await expect(page.evaluate('document.activeElement.className')).resolves.toContain('note');
      await expect(faultsOf(page, 'erase-unticked')).resolves.toEqual([]);
      await page.click('.note a');
      await page.waitForSelector('#sure[aria-invalid=true][aria-describedby=unticked]:focus');

      // After a while away from the screen, a new log-in is needed.
      await page.check('#sure');
      await page.evaluate('{ const now = Date.now; Date.now = () => now() + 301_000; }');
      await page.click('button:has-text("Erase everything")');
      await page.waitForSelector('.note.warn:focus:has-text("Log out and log in again first")');
      expect((await citizen.client.request('GET', `${world.base}v1/webids`)).status).toBe(200);
      await page.click('.note button');
      await page.waitForURL(`${world.base}.oidc/session/end**`);
      await page.click('[name=logout]');
      await page.waitForSelector('h1:has-text("You are logged out")');

      // The log-in of the account has ended, too: the password is needed.
      await citizens.logIn(page, `${citizens.pages}erase`);
      await page.waitForURL(`${citizens.pages}erase`);
      // Nothing can be erased while the confirmation afterwards cannot be shown.
      await page.route('**/assets/Erased-*.js', async(route): Promise<void> => route.abort());
      await page.reload();
      await page.waitForSelector('h1:has-text("Something went wrong on our side")');
      await page.unroute('**/assets/Erased-*.js');
      await page.reload();
      await page.check('#sure');
      const erasures: string[] = [];
      page.on('request', (request): unknown => request.method() === 'DELETE' && erasures.push(request.url()));
      await pressOffline(page, 'button:has-text("Erase everything")');
      const visited = await page.evaluate('history.length');
      // The second press does nothing.
      await page.dblclick('button:has-text("Erase everything")');
      await page.waitForURL(`${citizens.pages}erased`);
      await page.waitForSelector('h1:focus:has-text("Everything is erased")');
      expect(erasures).toEqual([ `${world.base}v1/webids` ]);
      await expect(faultsOf(page, 'erased')).resolves.toEqual([]);
      expect((await citizen.client.request('GET', `${world.base}v1/webids`)).status).toBe(404);
      // Nothing is left of the citizen but the language of the page.
      const left = await page.evaluate<string[]>('Object.keys(sessionStorage)');
      expect(left.filter((key): boolean => key !== 'language')).toEqual([]);
      // This browser holds no log-in any more.
      await page.reload();
      await page.waitForSelector('h1:has-text("Everything is erased")');
      await expect(page.locator('text=Log out').count()).resolves.toBe(0);
      // Back does not lead to the button, which this page replaced.
      await expect(page.evaluate('history.length')).resolves.toBe(visited);
      await page.goBack();
      await expect(page.locator('button.bad').count()).resolves.toBe(0);
    });
  });
});

/** Answers to apps. */
async function statuses(apps: readonly Client[], base: string): Promise<number[]> {
  const answers = await Promise.all(apps.map(async(app): Promise<Response> =>
    app.request('GET', `${base}v1/activity`)));
  return answers.map(({ status }): number => status);
}
