import { gzipSync } from 'node:zlib';
import type { Page } from 'playwright-core';
import type { Shared } from '../support/sharing';
import type { Watched } from './browser';
import { watch } from './browser';
import { CitizenWorld, violations } from './citizenWorld';

/** The questions of data users, in a real browser and on the real server. */
describe('The citizen\'s pages', (): void => {
  let citizens: CitizenWorld;
  let watched: Watched;
  let page: Page;

  beforeAll(async(): Promise<void> => {
    citizens = await CitizenWorld.start({ usual: {}, unknown: { forDataUser: 'https://nobody.example/card#me' }});
  });

  beforeEach(async(): Promise<void> => {
    watched = await watch(citizens.browser, { locale: 'en-GB' });
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
    await citizens?.stop();
  });

  function question(parameters: Record<string, string> = {}): string {
    const usual = { contract: 'usual', redirect_uri: `${citizens.bank.base}shared`, state: 'a b&c' };
    return `${citizens.pages}share?${new URLSearchParams({ ...usual, ...parameters })}`;
  }

  async function logIn(url: string): Promise<void> {
    await citizens.logIn(page, url);
  }

  it('ask, let the citizen choose and check, share, and lead back.', async(): Promise<void> => {
    await logIn(question());
    await page.waitForSelector('h1.sentence');
    await expect(page.textContent('h1.sentence')).resolves
      .toMatch(/^Meerling <b>Bank<\/b> asks to see your diploma to check whether .*, until \d+\u00A0\w+ \d{4}\.$/u);
    await expect(page.evaluate('document.activeElement.tagName')).resolves.toBe('H1');
    await expect(page.locator(':checked').count()).resolves.toBe(0);
    await expect(violations(page)).resolves.toEqual([]);

    // Nothing chosen: said, and nothing shared.
    await page.click('button:has-text("Continue")');
    await page.waitForSelector('.note.bad');
    await expect(page.evaluate('document.activeElement.className')).resolves.toContain('note');

    await page.check('.value input >> nth=0');
    await page.click('button:has-text("Continue")');
    await page.waitForURL(`${citizens.pages}check?**`);
    await expect(page.textContent('h1')).resolves.toBe('Check before you share');
    await expect(violations(page)).resolves.toEqual([]);
    // What was chosen is still there after a reload.
    await page.reload();
    await page.click('button:has-text("Share with")');
    await page.waitForURL(`${citizens.pages}shared?**`);
    await page.waitForSelector('.acts a');
    await expect(violations(page)).resolves.toEqual([]);

    await page.click('.acts a');
    await page.waitForURL(`${citizens.bank.base}shared?**`);
    const query = new URL(page.url()).searchParams;
    expect(query.get('state')).toBe('a b&c');
    const shared: Shared = { podResource: query.get('resource')!, accessGrant: query.get('access_grant')! };
    expect((await citizens.world.read(citizens.consumer.client, shared)).status).toBe(200);
  });

  it('begin with at most 60 KB of script and style, and ask nobody else for anything.', async(): Promise<void> => {
    await logIn(question());
    await page.waitForSelector('h1.sentence');
    // In the language with the longest texts.
    await page.goto(`${question()}&ui_locales=fr`);
    await page.waitForSelector('h1.sentence:has-text("souhaite")');
    const loaded = await page.evaluate<string[]>(
      'performance.getEntriesByType("resource").map(({ name }) => name)',
    );
    expect(loaded.filter((url): boolean => !url.startsWith(citizens.world.base))).toEqual([]);
    const assets = loaded.filter((url): boolean => /\.(?:js|css)$/u.test(url));
    const sizes = await Promise.all(assets.map(async(url): Promise<number> =>
      gzipSync(Buffer.from(await (await fetch(url)).arrayBuffer()), { level: 9 }).length));
    expect(sizes.length).toBeGreaterThan(5);
    expect(sizes.reduce((sum, size): number => sum + size, 0)).toBeLessThanOrEqual(60 * 1024);
  });

  it('share nothing when the citizen refuses, and say so to the data user.', async(): Promise<void> => {
    await logIn(question());
    await page.click('button:has-text("Don’t share")');
    await page.waitForURL(`${citizens.pages}refused?**`);
    await expect(page.textContent('h1')).resolves.toBe('You shared nothing');
    await page.click('.acts a');
    await page.waitForURL(`${citizens.bank.base}shared?**`);
    expect(new URL(page.url()).search).toBe('?state=a+b%26c&error=access_denied');
  });

  it.each([
    [ 'that is longer than the registered one', (base: string): string => `${base}shared/more` ],
    [ 'of another scheme', (): string => 'javascript:alert(1)' ],
    [ 'with credentials', (base: string): string => `${base.replace('//', '//u:p@')}shared` ],
    [ 'with a fragment', (base: string): string => `${base}shared#x` ],
  ])('lead to no address %s.', async(_, uri): Promise<void> => {
    await logIn(question({ redirect_uri: uri(citizens.bank.base) }));
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
    await expect(violations(page)).resolves.toEqual([]);
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
    await expect(violations(page)).resolves.toEqual([]);
  });

  it('refuse to go on with a log-in that this tab did not begin.', async(): Promise<void> => {
    await page.goto(`${citizens.pages}callback?code=stolen&state=x&iss=${encodeURIComponent(citizens.world.base)}`);
    await page.waitForSelector('.note.warn');
    await expect(page.textContent('.note')).resolves.toContain('Log in again');
  });
});
