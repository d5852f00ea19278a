import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Browser, Page, Request } from 'playwright-core';
import { createAccount, createPod } from '../../demo/lib/accounts';
import { startApp } from '../../demo/lib/apps';
import { startDataUserSite } from '../../demo/lib/dataUserSite';
import { consumer, describeProvider } from '../../demo/lib/startDemo';
import type { World } from '../support/world';
import { directory, freePort, removeFolder, startWorld, temporaryFolder } from '../support/world';
import type { Watched } from './browser';
import { isFirefox, startBrowser, watch } from './browser';

type App = Awaited<ReturnType<typeof startApp>>;

/** The example apps, with the newest public libraries, in a real browser: each on its own origin. */
describe('Apps in browsers', (): void => {
  let world: World;
  let browser: Browser;
  let citizenApp: App;
  let citizenAppHere: App;
  let folder: string;
  let dataUserApp: App;
  let site: App;
  let watched: Watched;
  let page: Page;
  const failed: string[] = [];

  beforeAll(async(): Promise<void> => {
    // The library renews a token 5 seconds before it ends.
    const port = await freePort();
    folder = await temporaryFolder();
    const nationalLogin = describeProvider(folder, `http://localhost:${port}/`);
    const sitePort = await freePort();
    const described = await readFile(join(__dirname, '../../demo/data/data-users/consumer.ttl'), 'utf8');
    await writeFile(join(folder, 'consumer.ttl'), described.replace('3004', String(sitePort)));
    [ world, browser ] = await Promise.all([
      startWorld({ flags: { nationalLogin, dataUsers: folder }}, { accessTokenSeconds: 20, port }),
      startBrowser(),
    ]);
    const { base: service, national: { issuer }} = world;
    const { webId } = await createPod(await createAccount(service, consumer), consumer.pods[0].name);
    site = await startDataUserSite({ port: sitePort, service, dataUser: { ...consumer, webId }});
    citizenApp = await startApp({ app: 'citizen', port: await freePort(), service, issuer });
    citizenAppHere = await startApp({ app: 'citizen', port: await freePort(), service, issuer: service });
    dataUserApp = await startApp({ app: 'data-user', port: await freePort(), service, issuer });
  });

  beforeEach(async(): Promise<void> => {
    failed.length = 0;
    watched = await watch(browser);
    ({ page } = watched);
    page.on('request', (request): void => {
      const { hostname, protocol } = new URL(request.url());
      if (protocol.startsWith('http') && hostname !== 'localhost') {
        failed.push(`Asked ${request.url()}`);
      }
    });
    page.on('console', (message): void => {
      // A field that was filled before the page was complete no longer needs the focus.
      if (/cors|(?<!^autofocus processing was )blocked/iu.test(message.text())) {
        failed.push(message.text());
      }
    });
  });

  afterEach(async(): Promise<void> => {
    const { complaints } = watched;
    await page.context().close();
    if (failed.length > 0 || complaints.length > 0) {
      throw new Error([ ...failed, ...complaints ].join('\n'));
    }
  });

  afterAll(async(): Promise<void> => {
    await browser?.close();
    await removeFolder(folder);
    await site?.close();
    await Promise.all([ citizenApp?.close(), citizenAppHere?.close(), dataUserApp?.close(), world?.stop() ]);
  });

  /** Goes to the issuer and selects a citizen there. */
  async function logInCitizen(button: string, id: string): Promise<void> {
    await page.goto(citizenApp.base);
    await page.click(button);
    await page.waitForURL(`${world.national.issuer}interaction/**`);
    await page.check(`[value=${id}]`);
    await page.click('[value=login]');
    await page.waitForSelector('#in:not([hidden])');
  }

  async function logInDataUser(button: string): Promise<void> {
    await page.goto(dataUserApp.base);
    await page.click(button);
    await page.click('#ways a');
    await page.waitForURL(`${world.base}.account/login/password/`);
    await page.fill('[name=email]', consumer.email);
    await page.fill('[name=password]', consumer.password);
    await page.click('[type=submit]:enabled');
    await page.waitForURL(`${world.base}.account/oidc/consent/`);
    await page.click('#authorize:enabled');
    await page.waitForSelector('#in:not([hidden])');
  }

  it('let a citizen log in, get a vault and share, and a data user read.', async(): Promise<void> => {
    await logInCitizen('#login', 'emma');
    const webId = await page.textContent('#webId');
    expect(webId).toMatch(new RegExp(`^${world.base}[\\da-f-]{36}/profile/card#me$`, 'u'));
    await expect(page.textContent('#vault')).resolves.toBe(webId!.replace('profile/card#me', ''));
    // Nothing is preselected.
    await expect(page.locator('#values :checked').count()).resolves.toBe(0);
    await page.check('#values input >> nth=0');
    await page.click('#share button');
    await page.waitForSelector('#shared li');
    const shared = (await page.textContent('#shared li'))!.replace('Shared: ', '');
    expect(shared).toContain(webId!.replace('profile/card#me', ''));

    await logInDataUser('#login');
    await expect(page.textContent('#webId')).resolves.toBe(`${world.base}consumer/profile/card#me`);
    await page.click(`li:has-text("${shared}") button`);
    await page.waitForSelector('#data:not([hidden])');
    expect(JSON.parse((await page.textContent('#data'))!)).toMatchObject({ credentialSubject: { id: webId }});
  });

  /** Goes from an app to the service, and from there to the provider, which does not support Solid. */
  async function logInHere(button: string, id: string): Promise<void> {
    await page.goto(citizenAppHere.base);
    await page.click(button);
    await page.click('#national button');
    await page.waitForURL(`${world.national.issuer}interaction/**`);
    await page.check(`[value=${id}]`);
    await page.click('[value=login]');
  }

  it('let a citizen who has never been here log in once, through the provider, and log out everywhere.', async():
  Promise<void> => {
    const { base, national: { issuer }} = world;
    await logInHere('#login', 'noor');
    const { name } = directory.findCitizen('noor')!;
    await expect(page.textContent('#hello:not([hidden])')).resolves.toBe(`Hello ${name}.`);
    await page.click('#yes');
    await page.click('#authorize:enabled');
    await page.waitForURL(`${citizenAppHere.base}**`);
    await page.waitForSelector('#in:not([hidden])');
    const webId = await page.textContent('#webId');
    await expect(page.textContent('#vault')).resolves.toBe(webId!.replace('profile/card#me', ''));

    await page.goto(`${base}.account/`);
    await page.click('#logout');
    await expect(page.textContent('#there:not([hidden]) h2')).resolves.toContain('Example ID');
    await page.click('#there a');
    await page.waitForURL(`${issuer}session/end**`);
    await page.click('[name=logout]');
    await page.waitForURL(`${base}.account/login/`);

    // Another browser: nothing is created, and the only question is whether the app may act.
    await page.context().close();
    watched = await watch(browser);
    ({ page } = watched);
    await logInHere('#loginNew', 'noor');
    await page.click('#authorize:enabled');
    await page.waitForSelector('#in:not([hidden])');
    await expect(page.textContent('#webId')).resolves.toBe(webId);
  });

  it('create nothing when the citizen says no and goes back: a page in their language leads to the log-in.', async():
  Promise<void> => {
    await page.context().close();
    watched = await watch(browser, { locale: 'nl-BE' });
    ({ page } = watched);
    await logInHere('#login', 'jan');
    // Yes and no look the same.
    await page.waitForSelector('#welcome');
    await expect(page.locator('#welcome .acts > .btn.solid').count()).resolves.toBe(2);
    await page.click('#no');
    await page.waitForURL(`${citizenAppHere.base}**`);
    await page.waitForSelector('#out:not([hidden])');
    await page.goBack();
    await page.waitForSelector('#failed:not([hidden])');
    await expect(page.textContent('#error:not([hidden])')).resolves
      .toBe('Deze pagina stond te lang open. Meld u opnieuw aan.');
    await expect(page.title()).resolves.toMatch(/^U bent niet aangemeld – /u);
    await page.click('#again');
    await page.waitForSelector('#national button');
    const { status } = await (await world.national.logIn('jan')).request('GET', `${world.base}v1/webids`);
    expect(status).toBe(404);
  });

  /** From the button on the data user's site to the question. */
  async function followButton(id: string): Promise<void> {
    const { base, national } = world;
    expect((await (await national.logIn(id)).request('PUT', `${base}v1/webids`)).status).toBeLessThan(300);
    await page.goto(site.base);
    await page.click('text=Share your diploma');
    await page.waitForSelector('#learned p:has-text("Example ID tells us your name and national number.")');
    await page.click('#national button:has-text("You go to Example ID for a moment and come back here.")');
    await page.waitForURL(`${national.issuer}interaction/**`);
    await page.check(`[value=${id}]`);
    await page.click('[value=login]');
    await page.waitForSelector('h1.sentence:has-text("Meerling Bank asks to see your diploma")');
  }

  it('send a citizen from a data user\'s site to the question and back; the site then reads the shared data.', async():
  Promise<void> => {
    await followButton('emma');
    await page.check('.value input >> nth=0');
    await page.click('button:has-text("Continue")');
    await page.click('button:has-text("Share with Meerling Bank")');
    await page.click('a:has-text("Continue to Meerling Bank")');
    await page.waitForURL(`${site.base}shared?**`);
    await page.waitForSelector('h1:has-text("Thank you")');
    const diploma = JSON.parse((await page.textContent('li'))!) as { credentialSubject: { id: string }};
    expect(diploma.credentialSubject.id).toMatch(new RegExp(`^${world.base}`, 'u'));
    // A response for another browser is not accepted, and neither is a forged one.
    const stolen = await fetch(page.url());
    expect(stolen.status).toBe(400);
    await page.goto(site.base);
    const cookies = await page.context().cookies(`${site.base}shared`);
    const { value: state } = cookies.find(({ name }): boolean => name === 'state')!;
    const madeUp = { state, resource: `${world.base}<b>`, access_grant: 'x' };
    await page.goto(`${site.base}shared?${new URLSearchParams(madeUp)}`);
    await page.waitForSelector('li:has-text("Nothing: the service answered 40")');
  });

  it('tell a data user\'s site that the citizen shared nothing.', async(): Promise<void> => {
    await followButton('lucas');
    await page.click('button:has-text("Don’t share")');
    await page.click('a:has-text("Back to Meerling Bank")');
    await page.waitForSelector('h1:has-text("You shared nothing")');
    expect(page.url()).toContain(site.base);
  });

  it('let a citizen log out of the pages of the service, and of the provider.', async(): Promise<void> => {
    await followButton('lucas');
    // Whoever goes back to the response of the provider, which is used up, is still logged in; no page says otherwise.
    for (const address of [ 'login/national/example/', 'logout/' ]) {
      await page.goto(`${world.base}.account/${address}`);
      await page.waitForURL(`${world.base}.account/account/*/`);
    }
    await page.click('#webIds li button:enabled');
    await page.waitForSelector('#error:has-text("You log in here with this web address (WebID).")');
    await page.goto(`${world.base}.app/identity`);
    const { name } = directory.findCitizen('lucas')!;
    await expect(page.textContent('.tools .hide:has(bdi)')).resolves.toBe(`Logged in as ${name}`);
    await expect(page.textContent('.tools bdi[aria-hidden]')).resolves.toBe(name);
    await expect(page.title()).resolves.not.toContain(name);
    await page.waitForSelector('p:text-matches("^With your national identity. Last time: .+ at [0-9]{2}:[0-9]{2}.$")');
    await page.waitForSelector('p:has-text("It holds no name, no date of birth and no national number.")');
    await page.click('text=See what erasing does');
    await page.waitForSelector('li:has-text("Your vault and everything in it.")');
    await page.click('text=Log out');
    await page.waitForURL(`${world.base}.oidc/session/end**`);
    await page.click('[name=logout]');
    await page.waitForURL(`${world.base}.app/logged-out**`);
    await page.click('a:has-text("Log out at Example ID, too")');
    await page.waitForURL(`${world.national.issuer}session/end**`);
  });

  it('may register themselves, at the issuer and at the service.', async(): Promise<void> => {
    await logInCitizen('#loginNew', 'noor');
    await logInDataUser('#loginNew');
  });

  it('restore a log-in and renew its token without user interaction.', async(): Promise<void> => {
    await logInCitizen('#login', 'lucas');
    const webId = await page.textContent('#webId');
    const renewal = page.waitForRequest(isRenewal);
    await page.goto(citizenApp.base);
    await page.waitForSelector('#in:not([hidden])');
    await expect(page.textContent('#webId')).resolves.toBe(webId);
    expect((await (await renewal).response())!.status()).toBe(200);
    await page.check('#values input:enabled >> nth=0');
    await page.click('#share button');
    await page.waitForSelector('#shared li');
  });

  it('log out of one app, and everywhere.', async(): Promise<void> => {
    await logInCitizen('#login', 'jan');
    await page.click('#logout');
    await page.waitForSelector('#out:not([hidden])');
    // The log-in at the issuer still exists: only consent for the app is needed again.
    await page.click('#login');
    await page.waitForURL(`${world.national.issuer}interaction/**`);
    await expect(page.locator('[type=radio]').count()).resolves.toBe(1);
    await page.click('[value=login]');
    await page.waitForSelector('#in:not([hidden])');
    await page.click('#logoutAll');
    await page.waitForURL(`${world.national.issuer}session/end**`);
    await page.click('[name=logout]');
    await page.waitForURL(`${citizenApp.base}**`);
    await page.waitForSelector('#out:not([hidden])');
    await page.click('#login');
    await page.waitForURL(`${world.national.issuer}interaction/**`);
    await expect(page.locator('[type=radio]').count()).resolves.toBeGreaterThan(1);
  });

  it('keep the log-in at the service during a log-in at an issuer on the same host.', async(): Promise<void> => {
    await logInDataUser('#login');
    await logInCitizen('#login', 'mila');
    await page.goto(dataUserApp.base);
    await page.waitForSelector('#in:not([hidden])');
  });

  it('are told when a citizen cancels.', async(): Promise<void> => {
    await page.goto(citizenApp.base);
    await page.click('#login');
    await page.waitForURL(`${world.national.issuer}interaction/**`);
    await page.click('[value=cancel]');
    await page.waitForURL(`${citizenApp.base}**`);
    await page.waitForSelector('#out:not([hidden])');
  });
});

/** Checks for the renewal of a token. Firefox shows no bodies: there, it is any request for a token. */
function isRenewal(request: Request): boolean {
  const isForToken = request.method() === 'POST' && new URL(request.url()).pathname === '/token';
  return isForToken && (isFirefox || (request.postData() ?? '').includes('grant_type=refresh_token'));
}
