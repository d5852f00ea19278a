import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { downloaded, holdRequests, inMedia, isFirefox } from './browser';
import { CitizenWorld, faultsOf, pressOffline, violations } from './citizenWorld';

const theme = join(__dirname, '../fixtures/theme');

/** The pages that show a citizen's data and sharings, in a real browser and on the real server. */
describe('The citizen\'s own pages', (): void => {
  let citizens: CitizenWorld;
  let page: Page;

  beforeAll(async(): Promise<void> => {
    citizens = await CitizenWorld.start({ usual: {}}, { theme });
  });

  beforeEach(async(): Promise<void> => {
    page = await citizens.open();
  });

  afterEach(async(): Promise<void> => citizens.close());

  afterAll(async(): Promise<void> => {
    await citizens?.stop();
  });

  /** Opens a page once its logo is there. */
  async function openThemed(url: string): Promise<void> {
    const [ logo ] = await Promise.all([ page.waitForResponse('**/.app/theme/logo'), page.goto(url) ]);
    expect([ logo.status(), logo.headers()['content-type'] ]).toEqual([ 200, 'image/svg+xml' ]);
    await page.waitForSelector('.btn.solid');
    await page.waitForSelector('.brand img');
  }

  describe('begin with what this service is', (): void => {
    it('to visitors who are not logged in.', async(): Promise<void> => {
      await page.goto(citizens.pages);
      await page.waitForSelector('h1:has-text("Your data. You decide.")');
      await expect(page.textContent('.sentence')).resolves.toContain('A bank asks to see your diploma to assess');
      await expect(page.locator('.tabs').count()).resolves.toBe(0);
      await expect(faultsOf(page, 'home')).resolves.toEqual([]);
      await pressOffline(page, 'main button:has-text("Log in")');
      // It is said when the log-in cannot begin, until it can.
      await page.route('**/.well-known/openid-configuration', async(route): Promise<void> => route.abort());
      await page.click('main button:has-text("Log in")');
      await page.waitForSelector('.note.warn:focus:has-text("Something went wrong on our side")');
      await page.unroute('**/.well-known/openid-configuration');
      await page.click('main button:has-text("Log in")');
      await page.waitForURL(`${citizens.world.base}.account/login/password/`);
      await page.goto(citizens.pages);
      await page.click('text=Description of the interface');
      await page.waitForURL('**/v1/docs');
    });

    it.each([
      [ 'settings', '**/settings.json' ],
      [ 'texts', '**/assets/nl-*.js' ],
    ])('or say that they cannot begin without their %s, and retry.', async(_, url): Promise<void> => {
      // Errors of its scripts are expected.
      const broken = await page.context().newPage();
      await broken.route(url, async(route): Promise<void> => route.abort());
      await broken.goto(`${citizens.pages}?ui_locales=nl`);
      await broken.waitForSelector('h1:has-text("Er ging iets mis bij ons")');
      await expect(broken.title()).resolves.toBe('Er ging iets mis bij ons');
      await expect(violations(broken)).resolves.toEqual([]);
      await broken.unroute(url);
      await broken.click('text=Probeer opnieuw');
      await broken.waitForSelector('h1:has-text("U beslist")');
    });

    it('or say that a page failed, and lead to others.', async(): Promise<void> => {
      const broken = await page.context().newPage();
      await broken.goto(citizens.pages);
      await broken.evaluate(`sessionStorage['log-in'] = 'damaged'`);
      await broken.goto(`${citizens.pages}callback?code=x`);
      await broken.waitForSelector('h1:focus:has-text("Something went wrong on our side")');
      await broken.click('main a:has-text("Go to the start page")');
      await broken.waitForSelector('h1:focus:has-text("Your data. You decide.")');
      // Once its data is there, too.
      await broken.route('**/v1/data-users?**', async(route): Promise<void> =>
        route.fulfill({ json: { dataUsers: [{ names: []}]}}));
      await broken.goto(`${citizens.pages}refused?contract=usual&redirect_uri=x`);
      await broken.waitForSelector('h1:focus:has-text("Something went wrong on our side")');
    });

    it('in the language chosen last, or say that they cannot without a network.', async(): Promise<void> => {
      await page.goto(citizens.pages);
      await page.waitForSelector('h1:has-text("Your data. You decide.")');
      const held = await holdRequests(page, '**/assets/nl-*.js');
      await page.click('[hreflang=nl]');
      await held.asked;
      await page.click('[hreflang=fr]');
      await page.waitForSelector('html[lang=fr] h1:has-text("Vous décidez")');
      held.release();
      await page.waitForLoadState('networkidle');
      await expect(page.getAttribute('html', 'lang')).resolves.toBe('fr');
      // While the other texts of the present language load.
      const late = await holdRequests(page, '**/assets/fr-*.js');
      await page.evaluate(`{ history.pushState(null, '', 'none'); dispatchEvent(new PopStateEvent('popstate')); }`);
      await late.asked;
      await page.click('[hreflang=nl]');
      await page.waitForSelector('html[lang=nl]');
      late.release();
      await page.waitForSelector('h1:has-text("Deze pagina bestaat niet")');
      await page.click('[hreflang=fr]');
      await page.waitForSelector('html[lang=fr]');
      await page.context().setOffline(true);
      await page.click('[hreflang=de]');
      await page.waitForSelector('[role=status]:has-text("Vous pouvez continuer à lire")');
    });
  });

  describe('wear the theme of the operator', (): void => {
    const colours = `(({ backgroundColor, fontFamily }) => [ backgroundColor, fontFamily.replaceAll('"', '') ])(
      getComputedStyle(document.querySelector('.btn.solid')))`;
    const [ light, dark ] = [ 'rgb(122, 31, 92)', 'rgb(240, 166, 216)' ];
    // Firefox is started in the dark theme.
    const usual = [ isFirefox ? dark : light, 'Georgia, serif' ];

    it('with its name, colours, font, logo and links, and print in black on white.', async(): Promise<void> => {
      await openThemed(citizens.pages);
      await expect(page.textContent('.brand')).resolves.toMatch(/^\s*My Vault <b>& Co City of Hoogwaerde\s*$/u);
      await expect(page.title()).resolves.toContain('My Vault <b>& Co');
      await expect(page.evaluate(colours)).resolves.toEqual(usual);
      await expect(page.getAttribute('.foot a:has-text("Help and contact")', 'href')).resolves
        .toBe('https://help.example/en');
      await expect(faultsOf(page, 'themed')).resolves.toEqual([]);
      await inMedia(page, { colorScheme: 'dark' }, async(): Promise<void> => {
        await expect(page.evaluate(colours)).resolves.toEqual([ dark, 'Georgia, serif' ]);
      });
      await inMedia(page, { colorScheme: 'dark', media: 'print' }, async(): Promise<void> => {
        await expect(page.evaluate('getComputedStyle(document.querySelector("main a")).color')).resolves
          .toBe('rgb(0, 0, 0)');
      });
    });

    it('with its help text where something is wrong.', async(): Promise<void> => {
      await page.route('**/v1/activity**', async(route): Promise<void> => route.fulfill({
        status: 500,
        headers: { 'x-correlation-id': '11111111-2222-4333-8444-555555555555' },
        json: {},
      }));
      await citizens.logIn(page, `${citizens.pages}activity`);
      await page.waitForSelector('h1:has-text("Something went wrong on our side")');
      await expect(page.textContent('.lead')).resolves.toContain('Nothing was shared, and nothing was changed.');
      await expect(page.getAttribute('main a:has-text("Contact us")', 'href')).resolves.toBe('https://help.example/en');
      await expect(page.textContent('main code')).resolves.toBe('11111111-2222-4333-8444-555555555555');
      await expect(violations(page)).resolves.toEqual([]);
      await page.unroute('**/v1/activity**');
      await page.click('button:has-text("Try again")');
      await expect(page.getAttribute('main a:has-text("Tell us")', 'href')).resolves.toBe('https://help.example/en');
    });

    it('with a way out for a person who is not the citizen shown.', async(): Promise<void> => {
      let status = 401;
      await page.route('**/v1/activity**', async(route): Promise<void> => route.fulfill({ status, json: {}}));
      await citizens.logIn(page, `${citizens.pages}activity`);
      await page.waitForSelector('h1:has-text("You were logged out")');
      status = 403;
      await page.click('main button:has-text("Log in")');
      // Back in the same place.
      await page.waitForSelector('h1:has-text("This is not yours to see")');
      await expect(faultsOf(page, 'not-yours')).resolves.toEqual([]);
      await page.click('main button:has-text("Log out")');
      await page.waitForURL(`${citizens.world.base}.oidc/session/end**`);
    });

    it('at the log-in page, too.', async(): Promise<void> => {
      await openThemed(`${citizens.world.base}.account/login/password/`);
      await expect(page.textContent('.brand')).resolves.toContain('My Vault <b>& Co');
      await expect(page.textContent('.foot')).resolves.toContain('City of Hoogwaerde');
      await expect(page.evaluate(colours)).resolves.toEqual(usual);
      await expect(violations(page)).resolves.toEqual([]);
    });
  });

  describe('show the vault', (): void => {
    it('while it is empty.', async(): Promise<void> => {
      await citizens.logIn(page, `${citizens.pages}data`);
      await page.waitForSelector('h2:has-text("Your vault is empty")');
      const menu = page.getByRole('navigation', { name: 'Main menu' });
      await expect(menu.locator('[aria-current]').textContent()).resolves.toBe('My data');
      await expect(faultsOf(page, 'data-empty')).resolves.toEqual([]);
      await page.click('.tabs a >> nth=0');
      await page.waitForSelector('h2:has-text("You share nothing yet")');
      await expect(faultsOf(page, 'overview-empty')).resolves.toEqual([]);
      await page.click('.brand');
      await expect(page.locator('button:has-text("Log in")').count()).resolves.toBe(0);
      await page.click('.lead .acts a:has-text("Who you share with")');
      await page.waitForSelector('h2:has-text("You share nothing yet")');
    });

    it('with shared data, in words, and other files, to read and to download.', async(): Promise<void> => {
      const { citizen, world } = citizens;
      const [ shared ] = await world.shareAll(citizen);
      const note = { headers: { 'content-type': 'text/plain' }, body: 'bread <img src=x onerror=alert(1)>' };
      const put = await citizen.client.request('PUT', `${citizen.podUrl}lists/shopping%3Cb%3E.txt`, note);
      expect(put.status).toBe(201);
      await citizens.logIn(page, `${citizens.pages}data`);
      await page.waitForSelector('h2:has-text("Diploma")');
      await expect(page.locator('h3:has-text("Master of")').count()).resolves.toBe(2);
      await expect(page.textContent('.items li:first-child')).resolves.toContain('Shared with Meerling <b>Bank</b>');

      await expect(page.textContent('details:has(.facts) summary >> nth=0')).resolves.toMatch(/^Read: Master of /u);
      await page.click('details:has(.facts) summary >> nth=0');
      await page.waitForSelector('dt:has-text("Date of award")');
      const diploma = await downloaded(page, 'button:has-text("Download ("):has-text("kB") >> nth=-1');
      expect(diploma.name).toMatch(/\.jsonld$/u);
      expect(diploma.bytes.toString()).toBe(await (await citizen.client.request('GET', shared.podResource)).text());

      await page.click('summary:has-text("lists")');
      await page.waitForSelector('li:has(> div > h3:has-text("shopping<b>.txt")) p:has-text("Changed on")');
      await expect(faultsOf(page, 'data')).resolves.toEqual([]);
      expect((await downloaded(page, 'button:has-text("shopping<b>.txt")')).bytes.toString()).toBe(note.body);
      const file = await holdRequests(page, '**/lists/shopping*');
      const [ folder ] = await Promise.all([
        downloaded(page, 'button:has-text("Download: lists")'),
        page.waitForSelector('.link[aria-disabled=true]:has-text("Collecting: 1 file…: lists")').then(file.release),
      ]);
      expect(folder.name).toBe('lists.zip');
      expect(folder.bytes.toString('latin1')).toContain('shopping<b>.txt');
      await page.waitForSelector('p:has-text("From Diploma <i>Register</i>, added on")');
      await page.waitForSelector('button:has-text("Download everything ("):has-text("kB)")');
      const held = await holdRequests(page, '**/lists/shopping*');
      const [ all ] = await Promise.all([
        downloaded(page, 'button:has-text("Download everything")'),
        page.waitForSelector('[aria-disabled=true]:text-matches("Collecting: [1-9]")').then(held.release),
      ]);
      expect(all.name).toBe('my-vault.zip');
      for (const name of [ 'lists/shopping<b>.txt', new URL(shared.podResource).pathname.split('/').at(-1)! ]) {
        expect(all.bytes.toString('latin1')).toContain(name);
      }
    });

    it('that needs a network, and says so without one.', async(): Promise<void> => {
      // As it stands it would be shown as if it ended in jpg.
      const { client, podUrl } = citizens.citizen;
      const file = { headers: { 'content-type': 'text/plain' }, body: 'x' };
      expect((await client.request('PUT', `${podUrl}lists/a%E2%80%AEgpj.exe`, file)).status).toBe(201);
      await citizens.logIn(page, `${citizens.pages}data`);
      await page.click('summary:has-text("lists")');
      await expect(page.textContent('li li:first-child h3')).resolves.toBe('agpj.exe');
      const downloads: string[] = [];
      page.on('download', (download): unknown => downloads.push(download.suggestedFilename()));
      await pressOffline(page, 'button:has-text("shopping<b>.txt")');
      await pressOffline(page, 'button:has-text("Download everything")');
      await page.evaluate('dispatchEvent(new Event("offline"))');
      const off = page.locator('.link[aria-disabled=true] >> nth=0');
      await expect(off.evaluate((link): string => getComputedStyle(link).textDecorationStyle)).resolves.toBe('dashed');
      expect(downloads).toEqual([]);
    });
  });

  describe('show who has access', (): void => {
    it('and stop one sharing when the citizen confirms.', async(): Promise<void> => {
      const { citizen, consumer, world } = citizens;
      const shared = await world.shareAll(citizen);
      await citizens.logIn(page, citizens.pages);
      await page.waitForSelector('h2:has-text("Meerling <b>Bank</b>")');
      await expect(faultsOf(page, 'overview')).resolves.toEqual([]);

      await page.click('main h3 a >> nth=0');
      await page.waitForSelector('h1.sentence:has-text("may read your diploma to check")');
      await page.waitForSelector('dt:has-text("Date of award")');
      await expect(faultsOf(page, 'detail')).resolves.toEqual([]);
      const grant = new URL(page.url()).searchParams.get('grant');
      // An address alone reveals nothing.
      await page.goto(`${citizens.pages}overview?${new URLSearchParams({ stopped: grant! })}`);
      await page.waitForSelector('h2:has-text("Meerling <b>Bank</b>")');
      await expect(page.locator('.note').count()).resolves.toBe(0);

      await page.goto(`${citizens.pages}stop?${new URLSearchParams({ grant: grant! })}`);
      await page.waitForSelector('h1:focus:has-text("Stop sharing your diploma with")');
      await expect(page.locator('.row:has-text("What does not stop") li').allTextContents()).resolves.toEqual([
        expect.stringContaining(' knows what it has already read.'),
        expect.stringContaining('A decision that '),
        expect.stringContaining('Sometimes a law says'),
        'Your own data stays in your vault.',
      ]);
      await expect(page.locator('.acts > .btn.solid').allTextContents()).resolves
        .toEqual([ 'Yes, stop sharing', 'No, keep sharing' ]);
      await page.click('text=No, keep sharing');
      await page.waitForSelector('h1.sentence');
      await page.click('.lead .acts a');
      await pressOffline(page, 'button:has-text("Yes, stop sharing")');
      // The second press does nothing.
      const stops: string[] = [];
      page.on('request', (request): unknown => request.method() === 'POST' && stops.push(request.url()));
      await page.dblclick('button:has-text("Yes, stop sharing")');
      await page.waitForSelector('.note.good:has-text("must delete its copies and tell us")');
      expect(stops).toEqual([ `${world.base}.access/status` ]);
      // The other diploma can still be read.
      await expect(page.textContent('.note.good h2')).resolves
        .toMatch(/^Stopped\. Meerling <b>Bank<\/b> can no longer read Master of .*\.$/u);
      await expect(page.evaluate('document.activeElement.className')).resolves.toContain('note');
      // What has ended comes last.
      await expect(page.locator('.row h2').allTextContents()).resolves.toEqual([ 'Meerling <b>Bank</b>', 'Ended' ]);
      expect(shared).toHaveLength(2);
      for (const each of shared) {
        expect((await world.read(consumer.client, each)).status).toBe(each.accessGrant === grant ? 403 : 200);
      }
      // Back does not lead to the button.
      await page.goBack();
      await page.waitForSelector('h1.sentence:has-text("could read your diploma until")');
    });

    it('and stop all sharings with one organisation, naming those that did not stop.', async(): Promise<void> => {
      const { citizen, consumer, world } = citizens;
      const shared = await world.shareAll(citizen);
      await citizens.logIn(page, `${citizens.pages}overview`);
      await page.click('a:has-text("Stop everything with")');
      await page.waitForSelector('h1:has-text("Stop everything with")');
      await expect(page.locator('.row:has-text("What stops") li').allTextContents()).resolves.toEqual([
        ...shared.map((): string => expect.stringContaining(' can no longer read Master of ') as string),
        expect.stringContaining(' must delete its copies and tell us.'),
      ]);
      await expect(faultsOf(page, 'stop')).resolves.toEqual([]);

      async function read(): Promise<number[]> {
        return Promise.all(shared.map(async(each): Promise<number> =>
          (await world.read(consumer.client, each)).status));
      }
      let requests = 0;
      await page.route('**/.access/status', async(route): Promise<void> => {
        requests += 1;
        await (requests === 1 ? route.continue() : route.abort());
      });
      await page.click('button:has-text("Yes, stop sharing")');
      await page.waitForSelector('.note.warn:has-text("can perhaps still read Master of")');
      await expect(page.locator('.note p').count()).resolves.toBe(1);
      await expect(page.evaluate('document.activeElement.className')).resolves.toContain('note');
      await expect(read()).resolves.toEqual(expect.arrayContaining([ 200, 403 ]));
      await expect(faultsOf(page, 'stop-unsure')).resolves.toEqual([]);

      await page.unroute('**/.access/status');
      await page.click('button:has-text("Yes, stop sharing")');
      await page.waitForSelector('.note.good h2:has-text("can no longer read any of your data here")');
      await page.waitForSelector('h2:has-text("Ended")');
      await expect(faultsOf(page, 'overview-ended')).resolves.toEqual([]);
      await expect(read()).resolves.toEqual([ 403, 403 ]);
    });
  });
});
