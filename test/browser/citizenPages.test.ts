import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import axe from 'axe-core';
import type { Browser, Page } from 'playwright-core';
import { clientOf } from '../support/callers';
import type { Shared } from '../support/sharing';
import { SharingWorld } from '../support/sharingWorld';
import type { AccountHolder } from '../support/world';
import { accountWithPod, removeFolder, temporaryFolder } from '../support/world';
import type { AppServer, Watched } from './browser';
import { startApp, startBrowser, watch } from './browser';

const login = { email: 'noor@example.org', password: 'password of noor' };

/** The citizen's pages, in a real browser and on the real server. */
describe('The citizen\'s pages', (): void => {
  let world: SharingWorld;
  let browser: Browser;
  let bank: AppServer;
  let consumer: AccountHolder;
  let dataUsers: string;
  let watched: Watched;
  let page: Page;
  let pages: string;

  beforeAll(async(): Promise<void> => {
    [ bank, dataUsers ] = await Promise.all([ startApp(), temporaryFolder() ]);
    await describeBank();
    [ world, browser ] = await Promise.all([
      SharingWorld.start(
        { usual: {}, unknown: { forDataUser: 'https://nobody.example/card#me' }},
        undefined,
        { dataUsers },
      ),
      startBrowser(),
    ]);
    pages = `${world.base}.app/`;
    consumer = await world.dataUser();
    await makeCitizen();
  });

  beforeEach(async(): Promise<void> => {
    watched = await watch(browser, { locale: 'en-GB' });
    ({ page } = watched);
  });

  /** Nothing ran that should not, and the policies of the pages had nothing to refuse. */
  afterEach(async(): Promise<void> => {
    const { complaints, ran } = watched;
    await page.context().close();
    if (complaints.length > 0 || ran.length > 0) {
      throw new Error([ ...complaints, ...ran ].join('\n'));
    }
  });

  afterAll(async(): Promise<void> => {
    await browser?.close();
    await world?.stop();
    await world?.remove();
    await bank?.stop();
    await removeFolder(dataUsers);
  });

  async function describeBank(): Promise<void> {
    await writeFile(join(dataUsers, 'bank.ttl'), `@prefix core: </v1/ns/core#> .
      @prefix oidc: <http://www.w3.org/ns/solid/oidc#> .
      @prefix skos: <http://www.w3.org/2004/02/skos/core#> .
      </v1/data-users/bank> core:webId </consumer/profile/card#me> ;
        skos:prefLabel "Meerling Bank"@nl, "Meerling Bank"@fr, "Meerling Bank"@de, "Meerling <b>Bank</b>\u202E"@en ;
        oidc:contacts "privacy@bank.example" ; oidc:policy_uri <https://bank.example/privacy> ;
        oidc:redirect_uris <${bank.base}shared> .`);
  }

  /** Somebody who has an account with a password here, and is on record with its WebID. */
  async function makeCitizen(): Promise<void> {
    const { webId, podUrl, client: owner } = await accountWithPod(world.base, 'noor');
    const profile = webId.replace('#me', '');
    const patched = await fetch(profile, {
      method: 'PATCH',
      headers: { 'content-type': 'text/n3', ...await owner.authentication('PATCH', profile) },
      body: `@prefix solid: <http://www.w3.org/ns/solid/terms#>. <> a solid:InsertDeletePatch;
        solid:inserts { <${webId}> solid:oidcIssuer <${world.issuer.issuer}> . }.`,
    });
    expect(patched.status).toBeLessThan(300);
    const number = world.newNumber();
    const client = await clientOf(world.issuer, { webid: webId, citizen_national_id: number }, 'DPoP');
    expect((await client.request('PUT', `${world.base}v1/webids`)).status).toBe(200);
    const citizen = { client, nationalNumber: number, webId, podUrl, podId: podUrl.slice(world.base.length, -1) };
    await world.writeDiploma(citizen, 1);
    await world.writeDiploma(citizen, 2);
  }

  function question(parameters: Record<string, string> = {}): string {
    const usual = { contract: 'usual', redirect_uri: `${bank.base}shared`, state: 'a b&c' };
    return `${pages}share?${new URLSearchParams({ ...usual, ...parameters })}`;
  }

  /** Logs in on the way to a page, and allows these pages to act. */
  async function logIn(url: string): Promise<void> {
    await page.goto(url);
    await page.waitForURL(`${world.base}.account/login/password/`);
    await page.fill('[name=email]', login.email);
    await page.fill('[name=password]', login.password);
    await page.click('[type=submit]:enabled');
    await page.waitForURL(`${world.base}.account/oidc/consent/`);
    await page.click('#authorize:enabled');
    await page.waitForURL(`${pages}**`);
  }

  /** Violations of the rules of WCAG 2.2 AA. */
  async function violations(): Promise<string[]> {
    const found = await page.evaluate<axe.AxeResults>(`(() => { ${axe.source}; return window.axe; })().run(document, {
      runOnly: [ 'wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice' ] })`);
    return found.violations.map(({ id, nodes }): string => `${id}: ${nodes.map(({ html }): string => html).join(' ')}`);
  }

  it('ask, let the citizen choose and check, share, and lead back.', async(): Promise<void> => {
    await logIn(question());
    await page.waitForSelector('h1.sentence');
    await expect(page.textContent('h1.sentence')).resolves
      .toMatch(/^Meerling <b>Bank<\/b> asks to see your diploma to check whether .*, until \d+\u00A0\w+ \d{4}\.$/u);
    await expect(page.evaluate('document.activeElement.tagName')).resolves.toBe('H1');
    await expect(page.locator(':checked').count()).resolves.toBe(0);
    await expect(violations()).resolves.toEqual([]);

    // Nothing chosen: said, and nothing shared.
    await page.click('button:has-text("Continue")');
    await page.waitForSelector('.note.bad');
    await expect(page.evaluate('document.activeElement.className')).resolves.toContain('note');

    await page.check('.value input >> nth=0');
    await page.click('button:has-text("Continue")');
    await page.waitForURL(`${pages}check?**`);
    await expect(page.textContent('h1')).resolves.toBe('Check before you share');
    await expect(violations()).resolves.toEqual([]);
    // What was chosen is still there after a reload.
    await page.reload();
    await page.click('button:has-text("Share with")');
    await page.waitForURL(`${pages}shared?**`);
    await page.waitForSelector('.acts a');
    await expect(violations()).resolves.toEqual([]);

    await page.click('.acts a');
    await page.waitForURL(`${bank.base}shared?**`);
    const query = new URL(page.url()).searchParams;
    expect(query.get('state')).toBe('a b&c');
    const shared: Shared = { podResource: query.get('resource')!, accessGrant: query.get('access_grant')! };
    expect((await world.read(consumer.client, shared)).status).toBe(200);
  });

  it('share nothing when the citizen refuses, and say so to the data user.', async(): Promise<void> => {
    await logIn(question());
    await page.click('button:has-text("Don’t share")');
    await page.waitForURL(`${pages}refused?**`);
    await expect(page.textContent('h1')).resolves.toBe('You shared nothing');
    await page.click('.acts a');
    await page.waitForURL(`${bank.base}shared?**`);
    expect(new URL(page.url()).search).toBe('?state=a+b%26c&error=access_denied');
  });

  it.each([
    [ 'that is longer than the registered one', (base: string): string => `${base}shared/more` ],
    [ 'of another scheme', (): string => 'javascript:alert(1)' ],
    [ 'with credentials', (base: string): string => `${base.replace('//', '//u:p@')}shared` ],
    [ 'with a fragment', (base: string): string => `${base}shared#x` ],
  ])('lead to no address %s.', async(_, uri): Promise<void> => {
    await logIn(question({ redirect_uri: uri(bank.base) }));
    await page.click('button:has-text("Don’t share")');
    await page.waitForSelector('h1:has-text("You shared nothing")');
    await expect(page.locator('.acts a').count()).resolves.toBe(0);
  });

  it('warn of a data user that the operator does not describe.', async(): Promise<void> => {
    await logIn(question({ contract: 'unknown' }));
    await page.waitForSelector('h1.sentence');
    await expect(page.textContent('main')).resolves.toContain('We don’t know this organisation');
    await expect(page.textContent('main')).resolves.toContain('https://nobody.example/card#me');
  });

  it('say that a question is not known.', async(): Promise<void> => {
    await logIn(question({ contract: 'none' }));
    await page.waitForSelector('h1:has-text("We don’t know this question")');
    await expect(violations()).resolves.toEqual([]);
  });

  it.each([
    [ 'nl', 'Meerling Bank wil uw diploma bekijken om na te gaan' ],
    [ 'fr', 'Meerling Bank souhaite consulter votre diplôme pour vérifier' ],
    [ 'de', 'Meerling Bank möchte Ihr Diplom einsehen, um zu prüfen' ],
  ])('speak %s.', async(language, sentence): Promise<void> => {
    await logIn(question());
    await page.waitForSelector('h1.sentence');
    await page.click(`[hreflang=${language}]`);
    await page.waitForSelector(`h1.sentence:has-text("${sentence}")`);
    await expect(page.getAttribute('html', 'lang')).resolves.toBe(language);
    await expect(violations()).resolves.toEqual([]);
  });

  it('refuse to go on with a log-in that this tab did not begin.', async(): Promise<void> => {
    await page.goto(`${pages}callback?code=stolen&state=x&iss=${encodeURIComponent(world.base)}`);
    await page.waitForSelector('.note.warn');
    await expect(page.textContent('.note')).resolves.toContain('Log in again');
  });
});
