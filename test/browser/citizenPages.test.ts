import { issueAccessRequest, redirectToAccessManagementUi } from '@inrupt/solid-client-access-grants';
import { DateTime } from 'luxon';
import type { Page } from 'playwright-core';
import { accessRules } from '../support/accessRules';
import type { Shared } from '../support/sharing';
import { logInStockClient } from '../support/solidClient';
import { downloaded, inMedia } from './browser';
import { CitizenWorld, faultsOf, login, pressOffline, questionShown, violations } from './citizenWorld';

/** The questions of data users, in a real browser and on the real server. */
describe('The citizen\'s pages', (): void => {
  let citizens: CitizenWorld;
  let page: Page;

  beforeAll(async(): Promise<void> => {
    citizens = await CitizenWorld.start({
      usual: {},
      unknown: { forDataUser: 'https://nobody.example/card#me', accessMode: 'WRITE' },
      over: { endDate: '2026-01-31' },
      later: { startDate: '2099-02-01' },
    }, {}, 'debug');
  });

  beforeEach(async(): Promise<void> => {
    page = await citizens.open();
  });

  afterEach(async(): Promise<void> => citizens.close());

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

  /** Returns the description of a field, as read by a screen reader. */
  async function describedAs(field: string): Promise<string | null> {
    return page.textContent(`#${await page.getAttribute(field, 'aria-describedby')}`);
  }

  /** Asks as the data user, with a public library, which finds the page. */
  async function ask(terms: object = {}): Promise<string> {
    const { citizen, consumer, world } = citizens;
    const { fetch: fetchAs } = await logInStockClient(world.base, consumer.credentials);
    const request = await issueAccessRequest({
      access: { read: true, write: true },
      resources: [ `${citizen.podUrl}plans/` ],
      resourceOwner: citizen.webId,
      ...terms,
    }, { fetch: fetchAs, accessEndpoint: `${world.base}.access/`, returnLegacyJsonld: false });
    return new Promise((resolve, reject): void => {
      redirectToAccessManagementUi(request, `${citizens.bank.base}asked`, {
        resourceOwner: citizen.webId,
        fetch: fetchAs,
        redirectCallback: resolve,
      }).catch(reject);
    });
  }

  it('load at most 60 KB of script and style at first, and nothing from other origins.', async(): Promise<void> => {
    await logIn(question());
    await page.waitForSelector('h1.sentence');
    // In the language with the longest texts.
    await page.goto(`${question()}&ui_locales=fr`);
    await page.waitForSelector('h1.sentence:has-text("souhaite")');
    const loaded = await page.evaluate<{ name: string; bytes: number }[]>(
      'performance.getEntriesByType("resource").map(({ name, encodedBodySize: bytes }) => ({ name, bytes }))',
    );
    expect(loaded.filter(({ name }): boolean => !name.startsWith(citizens.world.base))).toEqual([]);
    const assets = loaded.filter(({ name }): boolean => /\.(?:js|css)$/u.test(name));
    // A script, a style sheet and the texts of the language: each further file would cost time.
    expect(assets).toHaveLength(3);
    // Sizes as transferred.
    expect(assets.reduce((sum, { bytes }): number => sum + bytes, 0)).toBeLessThanOrEqual(60 * 1024);
  });

  it('stay in the language that the citizen chooses, whatever their address asks for.', async(): Promise<void> => {
    await logIn(question());
    await questionShown(page);
    await page.goto(`${question()}&ui_locales=fr`);
    await page.waitForSelector('h1.sentence:has-text("souhaite")');
    await page.check('#value-0');
    const link = page.locator('.tools a[lang=nl]');
    const inAnotherTab = new URL((await link.getAttribute('href'))!, page.url());
    expect(inAnotherTab.href).toBe(new URL(`${question()}&ui_locales=nl`).href);
    await link.click();
    await page.waitForSelector('h1.sentence:has-text("wil")');
    // The page is the same one.
    await expect(page.isChecked('#value-0')).resolves.toBe(true);
    await expect(page.evaluate('document.activeElement.lang')).resolves.toBe('nl');
    await page.reload();
    await page.waitForSelector('h1.sentence:has-text("wil")');
    await page.click('.tools a[lang=en]');
    await page.waitForSelector('h1.sentence:has-text("asks")');
  });

  it('are in one language with the log-in, whichever of them it is chosen on.', async(): Promise<void> => {
    await page.goto(citizens.pages);
    await page.click('.tools a[lang=nl]');
    await page.click('button:has-text("Aanmelden")');
    await page.waitForSelector('html[lang=nl] [name=password]');
    await page.click('.tools a[lang=de]');
    await page.waitForSelector('html[lang=de] [type=submit]:enabled');
    await page.fill('[name=email]', login.email);
    await page.fill('[name=password]', login.password);
    await page.click('[type=submit]:enabled');
    await page.waitForSelector('html[lang=de] h1:has-text("Mit wem Sie teilen")');
  });

  it('come back from the log-in in the language that their address asked for.', async(): Promise<void> => {
    await logIn(question({ ui_locales: 'nl' }));
    await page.waitForSelector('html[lang=nl] h1.sentence:has-text("wil")');
  });

  it('ask, let the citizen choose and check, share, and lead back.', async(): Promise<void> => {
    await logIn(question());
    await questionShown(page);
    await expect(page.textContent('h1.sentence')).resolves
      .toMatch(/^Meerling <b>Bank<\/b> asks to see your diploma to check whether .*, until \d+\u00A0\w+ \d{4}\.$/u);
    await expect(page.evaluate('document.activeElement.tagName')).resolves.toBe('H1');
    await expect(page.locator('h1 strong > bdi').allTextContents()).resolves
      .toEqual([ 'Meerling <b>Bank</b>', 'your diploma', expect.stringMatching(/ \d{4}$/u) ]);
    await expect(page.locator(':checked').count()).resolves.toBe(0);
    await expect(page.textContent('.lead')).resolves.toContain('You decide. You can say no.');
    await expect(page.locator('main h2').allTextContents()).resolves.toEqual([
      'Who asks',
      'What for',
      'Until when',
      'What Meerling <b>Bank</b> may do',
      'What Meerling <b>Bank</b> promised',
      'Your choice',
    ]);
    await page.waitForSelector('.row:has-text("Who asks") dd:has-text("privacy@bank.example")');
    await expect(page.getAttribute('a:has-text("Privacy statement of Meerling")', 'href')).resolves
      .toBe('https://bank.example/privacy');
    await expect(page.textContent('.row:has-text("What for")')).resolves.toContain('Checking whether an applicant');
    const promised = await page.textContent('.row:has-text("promised")');
    expect(promised).toContain('To give it to <i>nobody</i>.');
    expect(promised).toContain('We can’t see what Meerling <b>Bank</b> does inside its own systems.');
    // Yes and no look the same.
    await expect(page.locator('form .acts > .btn.solid').allTextContents()).resolves
      .toEqual([ 'Continue', 'Don’t share' ]);
    await expect(faultsOf(page, 'consent')).resolves.toEqual([]);

    // Nothing chosen: an error is shown, and nothing is shared.
    await page.click('button:has-text("Continue")');
    await page.waitForSelector('.note.bad');
    await expect(page.evaluate('document.activeElement.className')).resolves.toContain('note');
    await expect(page.title()).resolves.toMatch(/^Error: Meerling .* asks for your data – /u);
    await expect(describedAs('#value-0[aria-invalid=true]')).resolves.toContain('Choose at least one item');
    await expect(faultsOf(page, 'consent-unticked')).resolves.toEqual([]);
    await page.click('.note a');
    await page.waitForSelector('#value-0:focus');

    await page.check('.value input >> nth=0');
    // The question is tinted, and so is what is chosen, with a bar beside it.
    const [ lead, chosen, other ] = await page.evaluate<{ tint: string; bar: string }[]>(
      `[ document.querySelector('.lead'), ...document.querySelectorAll('.value') ].map((part) => getComputedStyle(part))
        .map(({ backgroundColor: tint, borderInlineStartColor: bar }) => ({ tint, bar }))`,
    );
    expect(chosen.tint).toBe(lead.tint);
    expect(other.tint).not.toBe(lead.tint);
    expect(other.bar).not.toBe(chosen.bar);
    await page.click('button:has-text("Continue")');
    await page.waitForURL(`${citizens.pages}check?**`);
    await expect(page.textContent('h1')).resolves.toBe('Check before you share');
    await page.waitForSelector('h1:focus');
    await expect(page.textContent('.lead')).resolves.toContain('Nothing is shared yet.');
    await expect(page.locator('.row:has-text("What you share") h3').count()).resolves.toBe(1);
    await page.waitForSelector('.row:has-text("On these terms") dd:has-text("Keep a copy while access lasts.")');
    await expect(faultsOf(page, 'check')).resolves.toEqual([]);
    await page.click('a:has-text("Change")');
    await page.waitForSelector('.value input >> nth=1');
    await expect(page.isChecked('#value-0')).resolves.toBe(true);
    await expect(page.locator(':checked').count()).resolves.toBe(1);
    await page.click('button:has-text("Continue")');
    await page.waitForURL(`${citizens.pages}check?**`);
    // The choices are still there after a reload.
    await page.reload();
    await page.click('button:has-text("Share with")');
    await page.waitForURL(`${citizens.pages}shared?**`);
    await page.waitForSelector('h1:focus:has-text("You shared your diploma with Meerling <b>Bank</b>")');
    await expect(page.title()).resolves.toMatch(/^You shared your diploma with Meerling .* – /u);
    await page.waitForSelector('.lead .acts a:has-text("Continue to Meerling <b>Bank</b>")');
    await expect(page.getAttribute('a:has-text("See who I share with")', 'href')).resolves.toBe('/.app/overview');
    await expect(page.locator('.then h3').allTextContents()).resolves
      .toEqual([ 'Today', 'Any day', expect.stringMatching(/ \d{4}$/u) ]);
    for (const [ text, name ] of [[ 'stop sharing', 'stop' ], [ 'View or print the receipt', 'receipt' ]]) {
      await expect(page.getAttribute(`main a:has-text("${text}")`, 'href')).resolves
        .toMatch(new RegExp(`^/\\.app/${name}\\?grant=`, 'u'));
    }
    await expect(faultsOf(page, 'shared')).resolves.toEqual([]);

    await page.click('.acts a');
    await page.waitForURL(`${citizens.bank.base}shared?**`);
    const query = new URL(page.url()).searchParams;
    expect(query.get('state')).toBe('a b&c');
    const shared: Shared = { podResource: query.get('resource')!, accessGrant: query.get('access_grant')! };
    expect((await citizens.world.read(citizens.consumer.client, shared)).status).toBe(200);

    // Asked again, the question shows what is already shared: two sources agree.
    await page.goto(question());
    await page.waitForSelector('.value:has-text("You already share this with Meerling <b>Bank</b>, until")');
    await expect(page.locator(':checked').count()).resolves.toBe(0);
    await expect(faultsOf(page, 'consent-again')).resolves.toEqual([]);
  });

  it('share nothing again on the way back.', async(): Promise<void> => {
    await logIn(question());
    await page.check('.value input >> nth=0');
    await page.click('button:has-text("Continue")');
    await page.click('button:has-text("Share with")');
    await page.waitForURL(`${citizens.pages}shared?**`);
    await page.click('.acts a');
    await page.waitForURL(`${citizens.bank.base}shared?**`);
    await page.goBack();
    await page.waitForSelector('h1:has-text("You shared")');
    await page.goBack();
    await page.waitForURL(question());
    await page.waitForSelector('.value:has-text("You already share this with Meerling <b>Bank</b>, until")');
    await expect(page.locator(':checked').count()).resolves.toBe(0);
  });

  it('share nothing when the citizen refuses, and say so to the data user.', async(): Promise<void> => {
    await logIn(question());
    await page.click('button:has-text("Don’t share")');
    await page.waitForURL(`${citizens.pages}refused?**`);
    await expect(page.textContent('h1:focus')).resolves.toBe('You shared nothing');
    await expect(page.textContent('.row')).resolves.toContain('Only that you did not share. Not why,');
    await expect(violations(page)).resolves.toEqual([]);
    await page.click('.acts a');
    await page.waitForURL(`${citizens.bank.base}shared?**`);
    expect(new URL(page.url()).search).toBe('?state=a+b%26c&error=access_denied');
    // Without a choice, the pages that follow it lead to the question.
    for (const name of [ 'check', 'shared' ]) {
      await page.goto(question().replace('/share?', `/${name}?`));
      await page.waitForURL(question());
    }
  });

  it.each([
    [ 'that is longer than the registered one', (base: string): string => `${base}shared/more` ],
    [ 'that the registered one begins with', (base: string): string => `${base}share` ],
    [ 'of somebody else', (): string => 'https://elsewhere.example/shared' ],
    [ 'of another scheme', (): string => 'javascript:alert(1)' ],
    [ 'with credentials', (base: string): string => `${base.replace('//', '//u:p@')}shared` ],
    [ 'with a fragment', (base: string): string => `${base}shared#x` ],
  ])('do not link to an address %s.', async(_, uri): Promise<void> => {
    await logIn(question({ redirect_uri: uri(citizens.bank.base) }));
    await page.click('button:has-text("Don’t share")');
    await page.waitForSelector('h1:has-text("You shared nothing")');
    await page.waitForSelector('h2:has-text("We can’t send you back")');
    await expect(page.locator('.acts a').count()).resolves.toBe(0);
  });

  it('warn of a data user that the operator does not describe.', async(): Promise<void> => {
    await logIn(question({ contract: 'unknown' }));
    await questionShown(page);
    await expect(page.textContent('main')).resolves.toContain('We don’t know this organisation');
    await expect(page.textContent('main')).resolves
      .toContain('We only know this web address: https://nobody.example/card#me.');
    await expect(page.locator('main img').count()).resolves.toBe(0);
    await expect(violations(page)).resolves.toEqual([]);
    // It asks for more than to read.
    await expect(page.textContent('h1')).resolves.toContain(' asks to see and change your diploma ');
    await page.waitForSelector('.row:has-text("may do") li:has-text("Change what you choose below.")');
    await page.check('#value-0');
    await page.click('button:has-text("Continue")');
    await page.waitForSelector('dd:has-text("Change this.")');
  });

  it('say that a question is unknown.', async(): Promise<void> => {
    await logIn(question({ contract: 'none' }));
    await page.waitForSelector('h1:has-text("We don’t know this question")');
    await expect(page.getAttribute('main a:has-text("Go to the start page")', 'href')).resolves.toBe('/.app/');
    await expect(faultsOf(page, 'consent-none')).resolves.toEqual([]);
    // Nor can there be one with such an id.
    for (const contract of [ '', '../none', '%00' ]) {
      await page.goto(question({ contract }));
      await page.waitForSelector('h1:has-text("We don’t know this question")');
    }
  });

  it.each([
    [ 'over', 'This question ended on 31\u00A0January 2026.', '31\u00A0janvier 2026' ],
    [ 'later', 'This question opens on 1\u00A0February 2099.', '1er\u00A0février 2099' ],
  ])('explain why a question is not open: %s.', async(contract, text, french): Promise<void> => {
    // A purpose without a phrase.
    await page.route('**/v1/purposes/employment', async(route): Promise<void> => {
      const response = await route.fetch();
      await route.fulfill({ response, body: (await response.text()).replaceAll('core:phrase', 'core:note') });
    });
    await logIn(question({ contract }));
    await questionShown(page);
    await expect(page.textContent('h1')).resolves
      .toMatch(/^Meerling <b>Bank<\/b> asks for data about you: .+\. What for: Recruitment\. Until .+\.$/u);
    await expect(page.textContent('main')).resolves.toContain(text);
    await expect(page.locator('[type=checkbox]').count()).resolves.toBe(0);
    await expect(faultsOf(page, `consent-${contract}`)).resolves.toEqual([]);
    await page.click('[hreflang=fr]');
    await page.waitForSelector('html[lang=fr]');
    await expect(page.textContent('main')).resolves.toContain(french);
    await page.click('[hreflang=en]');
    await page.click('button:has-text("Don’t share")');
    await page.waitForSelector('h1:has-text("You shared nothing")');
  });

  it('announce the end of a log-in, and continue in the same place after the next one.', async(): Promise<void> => {
    await logIn(question());
    await page.check('.value input >> nth=0');
    await page.click('button:has-text("Continue")');
    await page.waitForSelector('h1:has-text("Check before you share")');
    const now = Date.now();
    await page.clock.install({ time: now - 120_000 });
    await page.clock.pauseAt(now - 20_000);
    await page.evaluate(`new Promise((done) => {
      const opening = indexedDB.open('citizen-pages');
      opening.onsuccess = () => {
        const kept = opening.result.transaction('session', 'readwrite').objectStore('session');
        const reading = kept.get('kept');
        reading.onsuccess = () => {
          kept.put({ ...reading.result, endsAt: Date.now() + 20000 }, 'kept').onsuccess = done;
        };
      };
    }).then(() => undefined)`);
    await page.reload();
    await page.waitForSelector('.facts');
    await page.clock.runFor(1);
    await page.waitForSelector('.note.warn:has-text("You will be logged out in 1 minute.") button:has-text("Stay")');
    await page.clock.runFor(20_000);
    await page.waitForSelector('.note.warn:has-text("You were logged out")');
    await expect(page.textContent('[role=status]')).resolves.toBe('You were logged out');
    // The tool that finds violations needs time to pass.
    await page.clock.resume();
    await expect(violations(page)).resolves.toEqual([]);
    await page.click('.note button');
    await page.waitForSelector('.note', { state: 'detached' });
    await page.waitForURL(`${citizens.pages}check?**`);
    await page.waitForSelector('.facts');
    await expect(page.locator('.row >> nth=0 >> h3').count()).resolves.toBe(1);
  });

  it('report loss and return of the network.', async(): Promise<void> => {
    await logIn(question());
    await page.waitForSelector('h1.sentence');
    await page.context().setOffline(true);
    await page.waitForSelector('.note.warn:has-text("You are offline")');
    await expect(page.textContent('[role=status]')).resolves.toContain('You are offline');
    await page.check('#value-0');
    // What needs the network says so, and does nothing.
    await expect(page.locator('form .acts [aria-disabled=true]').count()).resolves.toBe(2);
    await page.press('button:has-text("Continue")', 'Enter');
    await page.waitForSelector('[role=status]:has-text("Sharing and stopping work again when you have internet.")');
    await page.press('button:has-text("Don’t share")', 'Enter');
    await expect(page.isChecked('#value-0')).resolves.toBe(true);
    await expect(violations(page)).resolves.toEqual([]);
    await page.context().setOffline(false);
    await page.waitForSelector('.note.warn', { state: 'detached' });
    await page.click('button:has-text("Continue")');
    await page.waitForSelector('h1:has-text("Check before you share")');
    await page.context().setOffline(true);
    const sharing = page.locator('[aria-disabled=true]:has-text("Share with")');
    await expect(sharing.evaluate((button): string => getComputedStyle(button).borderStyle)).resolves.toBe('dashed');
    await expect(page.locator('.note').count()).resolves.toBe(1);
    await page.context().setOffline(false);
    await page.waitForSelector('[role=status]:has-text("You are online again.")');
    await pressOffline(page, 'button:has-text("Share with")');
    await pressOffline(page, 'button:has-text("Don’t share")');
    await pressOffline(page, 'a:has-text("Log out")');
    await expect(page.textContent('h1')).resolves.toBe('Check before you share');
  });

  it.each([
    [ 'nl', 'Meerling Bank wil uw diploma bekijken om na te gaan' ],
    [ 'fr', 'Meerling Bank souhaite consulter votre diplôme pour vérifier' ],
    [ 'de', 'Meerling Bank möchte Ihr Diplom einsehen, um zu prüfen' ],
  ])('are available in %s.', async(language, sentence): Promise<void> => {
    await logIn(question());
    await page.waitForSelector('h1.sentence');
    await page.click(`[hreflang=${language}]`);
    await page.waitForSelector(`html[lang=${language}] h1.sentence:has-text("${sentence}")`);
    // It is remembered.
    await page.reload();
    await questionShown(page, sentence);
    await expect(page.getAttribute('html', 'lang')).resolves.toBe(language);
    await expect(violations(page)).resolves.toEqual([]);
  });

  it('refuse to continue a log-in that this tab did not begin.', async(): Promise<void> => {
    const sent: string[] = [];
    page.on('request', (request): unknown => request.method() === 'POST' && sent.push(request.url()));
    await page.goto(`${citizens.pages}callback?code=stolen&state=x&iss=${encodeURIComponent(citizens.world.base)}`);
    await page.waitForSelector('.note.warn:focus');
    await expect(page.textContent('.note')).resolves.toContain('Log in again');
    await expect(violations(page)).resolves.toEqual([]);
    // Nor while it has begun another one.
    await page.click('main button:has-text("Log in")');
    await page.waitForURL(`${citizens.world.base}.account/login/password/`);
    await page.goto(`${citizens.pages}callback?code=stolen&state=x&iss=${encodeURIComponent(citizens.world.base)}`);
    await page.waitForSelector('.note.warn:focus:has-text("Log in again")');
    expect(page.url()).toBe(`${citizens.pages}callback`);
    // A foreign code is not used.
    expect(sent).toEqual([]);
  });

  it('say that nothing happened when the citizen cancels the log-in.', async(): Promise<void> => {
    const { pages, world: { base }} = citizens;
    await page.goto(question());
    await page.waitForURL(`${base}.account/login/password/`);
    const state = await page.evaluate<string>(`JSON.parse(sessionStorage['log-in']).state`);
    await page.goto(`${pages}callback?${new URLSearchParams({ error: 'access_denied', state, iss: base })}`);
    await page.waitForSelector('.note.warn:focus:has-text("You stopped logging in. Nothing happened.")');
    await page.goto(question());
    await page.waitForURL(`${base}.account/login/password/`);
    const again = await page.evaluate<string>(`JSON.parse(sessionStorage['log-in']).state`);
    // Nor did it take too long when the service does not answer.
    await page.route('**/.oidc/token', async(route): Promise<void> => route.fulfill({ status: 502, body: '' }));
    await page.goto(`${pages}callback?${new URLSearchParams({ code: 'x', state: again, iss: base })}`);
    await page.waitForSelector('.note.warn:focus:has-text("Something went wrong on our side")');
    // Another try leads to the same place.
    await page.click('main button:has-text("Log in")');
    await page.waitForURL(`${base}.account/login/password/`);
    await expect(page.evaluate(`JSON.parse(sessionStorage['log-in']).goal`)).resolves
      .toBe(question().slice(pages.length));
  });

  it('show a value with an error, which cannot be chosen.', async(): Promise<void> => {
    const { citizen, world } = citizens;
    await world.writeDiploma(citizen, 3, '1', 'jan-incomplete');
    await logIn(question());
    await page.waitForSelector('.value.off:has-text("Can’t be shared")');
    await expect(page.locator('.value.off').evaluate((value): string => getComputedStyle(value).borderInlineStartStyle))
      .resolves.toBe('dashed');
    await expect(page.textContent('.value.off')).resolves
      .toContain('From: Diploma <i>Register</i>. Is this wrong? Diploma <i>Register</i> can correct it.');
    await expect(page.locator('.value.off bdi:has-text("Diploma <i>Register</i>")').count()).resolves.toBe(2);
    await expect(page.textContent('.value.off > p:not(.flag, .small)')).resolves.toMatch(/\w/u);
    await expect(page.locator('.value').count()).resolves.toBe(3);
    await expect(page.locator('.value input').count()).resolves.toBe(2);
    await expect(page.locator('.value.off :is(input, button, a)').count()).resolves.toBe(0);
    await expect(faultsOf(page, 'consent-error')).resolves.toEqual([]);
    // In forced colours, the browser draws the boxes.
    await inMedia(page, { forcedColors: 'active' }, async(): Promise<void> => {
      await expect(page.locator('#value-0').evaluate((box): string => getComputedStyle(box).appearance)).resolves
        .toBe('auto');
    });
    await world.removeDiploma(citizen, 3);
  });

  it('render each kind of field, and let the citizen choose at most 50 values.', async(): Promise<void> => {
    const twoLanguages = /one.*deux.*Only available in French/u;
    const moment = DateTime.fromISO('2024-06-30T12:34:56Z', { zone: citizens.world.timeZone, locale: 'en' });
    const timestamp = new RegExp(moment.toFormat('d LLLL yyyy.*HH:mm').replaceAll(' ', String.raw`\s+`), 'u');
    const kinds = [
      [ 'string', { items: [[{ value: 'one', language: 'en' }], [{ value: 'deux', language: 'fr' }]]}, twoLanguages ],
      [ 'date', { value: '2024-06-30' }, /30\s+June\s+2024/u ],
      [ 'timestamp', { value: '2024-06-30T12:34:56Z' }, timestamp ],
      [ 'boolean', { value: 'true' }, /Yes/u ],
      [ 'number', { value: '1234567.5' }, /1,234,567\.5/u ],
      [ 'error', { value: [{ value: 'Not to be read', language: 'en' }]}, /Not to be read/u ],
      [ 'group', { items: { in: { label: [], format: 'boolean', value: 'false' }}}, /No/u ],
    ] as const;
    await page.route('**/v1/contracts/usual/data', async(route): Promise<void> => {
      const response = await route.fetch();
      const { dataValues: [ value ] } = await response.json() as { dataValues: { summary: { details: object }}[] };
      value.summary.details = Object.fromEntries(kinds.map(([ format, more ]): [string, object] =>
        [ format, { label: [{ value: `A ${format}`, language: 'en' }], format, ...more }]));
      const dataValues = Array.from({ length: 51 }, (_, at): object => ({ ...value, id: `value ${at}` }));
      await route.fulfill({ response, json: { dataValues }});
    });
    await logIn(question());
    for (const [ format, , shown ] of kinds) {
      const field = page.locator(`.value >> nth=0 >> .facts > div:has-text("A ${format}")`);
      await expect(field.first().textContent()).resolves.toMatch(shown);
    }
    await expect(page.locator('.value >> nth=0 >> bdi [lang=fr][dir=auto]').textContent()).resolves.toBe('deux');

    // Of many values the fields are folded, and how many are chosen is said.
    await expect(page.locator('.value > details:not([open]) summary:has-text("Show all 7 fields")').count()).resolves
      .toBe(51);
    await page.click('button:has-text("Choose all 51")');
    await page.waitForSelector('[role=status]:has-text("51 chosen")');
    await page.click('button:has-text("Continue")');
    await page.waitForSelector('.note.bad:focus a:has-text("Choose 50 items at most. You chose 51.")');
    await page.click('button:has-text("Choose none")');
    await page.waitForSelector('[role=status]:has-text("Nothing chosen")');
    await expect(page.locator(':checked').count()).resolves.toBe(0);
    await page.check('#value-0');
    await page.waitForSelector('[role=status]:has-text("1 chosen")');
  });

  it('show 5,000 fields in portions, and markup in them as text.', async(): Promise<void> => {
    const text = '<img src=x onerror=alert(1)>';
    const label = [{ value: text, language: 'en' }];
    const field = { label, format: 'string', items: [ label ]};
    await page.route('**/v1/contracts/usual/data', async(route): Promise<void> => {
      const response = await route.fetch();
      const answer = await response.json() as { dataValues: { summary: { details: object }}[] };
      answer.dataValues[0].summary.details =
        Object.fromEntries(Array.from({ length: 5000 }, (_, at): [string, object] => [ `f${at}`, field ]));
      await route.fulfill({ response, json: answer });
    });
    await logIn(question());
    const fields = page.locator('.value >> nth=0 >> .facts > div');
    await fields.first().waitFor();
    await expect(fields.count()).resolves.toBe(50);
    await page.click('.value >> nth=0 >> button:has-text("Show 200 more fields")');
    await expect(fields.count()).resolves.toBe(250);
    await page.waitForSelector('.value >> nth=0 >> .facts > div:nth-child(51):focus');
    await expect(page.textContent('[role=status]')).resolves.toBe('200 items added to the list.');
    await expect(fields.nth(249).textContent()).resolves.toContain(text);
    await expect(page.locator('.value img').count()).resolves.toBe(0);

    // Before it is shared: the number of folded fields, and all of them to read.
    await page.check('.value input >> nth=0');
    await page.click('button:has-text("Continue")');
    await page.waitForSelector('.flag:has-text("4,950 fields are not shown yet.")');
    await page.click('button:has-text("Show 200 more fields")');
    await page.waitForSelector('.flag:has-text("4,750 fields are not shown yet.")');
    await expect(page.textContent('[role=status]')).resolves.toBe('200 items added to the list.');
    await expect(violations(page)).resolves.toEqual([]);
    const { bytes, name } = await downloaded(page, 'button:has-text("Download everything to read it in full (")');
    expect(name).toBe('data.json');
    expect(JSON.parse(bytes.toString())).toMatchObject([{ credentialSubject: {}}]);
  });

  it('keep personal data out of addresses, titles, storage and the server\'s log.', async(): Promise<void> => {
    await logIn(question({ redirect_uri: 'https://elsewhere.example/shared' }));
    await page.check('.value input >> nth=0');
    const value = (await page.textContent('.value strong'))!;
    await page.click('button:has-text("Continue")');
    await page.waitForSelector('h1:has-text("Check before you share")');
    const kept = await page.evaluate<string>(
      'JSON.stringify([ location.href, document.title, { ...sessionStorage }, { ...localStorage } ])',
    );
    for (const personal of [ value, citizens.citizen.nationalNumber, 'eyJ' ]) {
      expect(kept).not.toContain(personal);
    }
    // The key of the token can be used, but not read.
    const key = await page.evaluate<boolean>(`new Promise((done) => {
      const opening = indexedDB.open('citizen-pages');
      opening.onsuccess = () => {
        const reading = opening.result.transaction('session').objectStore('session').get('kept');
        reading.onsuccess = () => done(reading.result.keys.privateKey.extractable);
      };
    })`);
    expect(key).toBe(false);
    await page.click('button:has-text("Share")');
    await page.waitForSelector('h1:has-text("shared")');
    // There is no way back to an unregistered address.
    await page.waitForSelector('h2:has-text("We can’t send you back")');
    await expect(page.locator('.acts a').count()).resolves.toBe(0);
    // The whole log of the server: this log-in, this sharing and everything before.
    const log = citizens.world.server.log();
    expect(log).toContain('/v1/');
    for (const personal of [ value, citizens.citizen.nationalNumber, 'eyJ', login.email, login.password ]) {
      expect(log).not.toContain(personal);
    }
  });

  it('hide the log-in from a page in a pod, which has the same origin.', async(): Promise<void> => {
    const { client, podUrl, webId } = citizens.citizen;
    const thief = `${podUrl}thief.html`;
    const body = `<script>
      try { indexedDB.open('citizen-pages'); document.title = 'read'; } catch ({ name }) { document.title = name; }
    </script>`;
    expect((await client.request('PUT', thief, { headers: { 'content-type': 'text/html' }, body })).status).toBe(201);
    const rules = { headers: { 'content-type': 'text/turtle' }, body: accessRules(false, thief, webId, 'acl:Read') };
    expect((await client.request('PUT', `${thief}.acl`, rules)).status).toBe(201);
    await logIn(`${citizens.pages}overview`);
    await page.waitForSelector('h1:has-text("Who you share with")');
    await page.goto(thief);
    await expect(page.title()).resolves.toBe('SecurityError');
  });

  it('cannot be framed, and run only their own scripts.', async(): Promise<void> => {
    const { headers } = await fetch(question());
    const policy = headers.get('content-security-policy')!;
    expect(headers.get('referrer-policy')).toBe('no-referrer');
    expect(headers.get('cross-origin-opener-policy')).toBe('same-origin');
    expect(headers.get('x-content-type-options')).toBe('nosniff');
    const assets = `${citizens.pages}assets/`;
    const theme = `${citizens.pages}theme/`;
    expect(policy.split('; ')).toEqual([
      `default-src 'none'`,
      `script-src ${assets}`,
      `style-src ${assets} ${theme}`,
      `font-src ${theme}`,
      `img-src ${citizens.pages} ${citizens.world.base}v1/data-users/`,
      `connect-src ${citizens.world.base}`,
      `base-uri 'none'`,
      `form-action 'none'`,
      `frame-ancestors 'none'`,
      `require-trusted-types-for 'script'`,
      `trusted-types 'none'`,
    ]);
  });

  describe('ask on behalf of a data user that has no contract', (): void => {
    it('and grant what the citizen chose, once.', async(): Promise<void> => {
      const url = await ask();
      await logIn(url);
      await questionShown(page);
      await expect(page.textContent('h1')).resolves
        .toContain('asks to read and change the folder “plans” in your vault, until you stop it.');
      await expect(page.locator(':checked').count()).resolves.toBe(0);
      await expect(page.textContent('main')).resolves.toContain('does not say what for. You can ask, or say no.');
      await expect(page.locator('form .acts > .btn.solid').allTextContents()).resolves
        .toEqual([ 'Allow what I chose', 'Allow nothing' ]);
      await expect(faultsOf(page, 'request')).resolves.toEqual([]);
      await page.click('button:has-text("Allow what I chose")');
      await page.waitForSelector('.note.bad:has-text("Choose at least one item")');
      await page.check('label:has-text("Change") input');
      await page.click('button:has-text("Allow what I chose")');
      await page.waitForSelector('.note.bad:focus:has-text("Choose “Read” too")');
      await expect(page.title()).resolves.toMatch(/^Error: /u);
      await expect(describedAs('#mode-0[aria-invalid=true]')).resolves.toContain('Choose “Read” too');
      await expect(page.locator(':checked').count()).resolves.toBe(1);
      await expect(faultsOf(page, 'request-fault')).resolves.toEqual([]);
      await page.click('.note a');
      await page.waitForSelector('#mode-0:focus');
      await page.uncheck('label:has-text("Change") input');
      await page.check('label:has-text("Read") input');
      await pressOffline(page, 'button:has-text("Allow what I chose")');
      // The second press does nothing.
      const answers: string[] = [];
      page.on('request', (request): unknown => request.url().endsWith('/.access/issue') &&
        request.method() === 'POST' && answers.push(request.url()));
      await page.dblclick('button:has-text("Allow what I chose")');
      await page.waitForSelector('h1:focus:has-text("has access now")');
      expect(answers).toHaveLength(1);
      await expect(faultsOf(page, 'request-allowed')).resolves.toEqual([]);
      await page.click('.acts a');
      await page.waitForURL(`${citizens.bank.base}asked?**`);
      const grant = await citizens.consumer.client
        .request('GET', new URL(page.url()).searchParams.get('accessGrantUrl')!);
      await expect(grant.json()).resolves.toMatchObject({
        type: [ 'VerifiableCredential', 'SolidAccessGrant' ],
        credentialSubject: { providedConsent: { mode: [ 'http://www.w3.org/ns/auth/acl#Read' ]}},
      });
      await page.goto(url);
      await page.waitForSelector('h1:has-text("This question is closed")');
      await expect(faultsOf(page, 'request-gone')).resolves.toEqual([]);
    });

    it('and show the contents of a folder before access to it is granted.', async(): Promise<void> => {
      const { citizen: { client, podUrl }, consumer } = citizens;
      const headers = { 'content-type': 'text/plain' };
      expect((await client.request('PUT', `${podUrl}letters/a.txt`, { headers, body: 'Dear bank' })).status).toBe(201);
      await logIn(await ask({ resources: [ `${podUrl}letters/`, `${podUrl}plans/` ]}));
      await page.waitForSelector('p:has-text("Folder with 1 file")');
      await page.click('summary:has-text("See what is in it")');
      await page.waitForSelector('h3:has-text("a.txt")');
      await expect(faultsOf(page, 'request-folder')).resolves.toEqual([]);
      await page.check('label:has-text("Read"):has-text("Everything that is there now, and what is added later.")');
      await page.click('button:has-text("Allow what I chose")');
      await page.click('.note.bad a');
      await page.waitForSelector('#resource-0[aria-invalid=true]:focus');
      await page.keyboard.press('Space');
      await page.click('button:has-text("Allow what I chose")');
      await page.waitForSelector('h1:has-text("has access now")');
      const onward = new URL((await page.getAttribute('.acts a', 'href'))!);
      const grant = await consumer.client.request('GET', onward.searchParams.get('accessGrantUrl')!);
      await expect(grant.json()).resolves
        .toMatchObject({ credentialSubject: { providedConsent: { forPersonalData: [ `${podUrl}letters/` ]}}});
    });

    it('and grant nothing when the citizen declines the request of an unknown app.', async(): Promise<void> => {
      await page.route('**/v1/data-users?**', async(route): Promise<void> =>
        route.fulfill({ json: { dataUsers: []}}));
      await logIn(await ask());
      await page.waitForSelector('.flag:has-text("This is not one of our partners")');
      await expect(page.textContent('.row >> nth=0')).resolves.toContain('Check that it is really theirs:');
      await expect(page.textContent('.row >> nth=0 >> code')).resolves.toBe(citizens.consumer.webId);
      await expect(violations(page)).resolves.toEqual([]);
      await page.click('button:has-text("Allow nothing")');
      await page.waitForSelector('h1:has-text("gets no access")');
      await expect(violations(page)).resolves.toEqual([]);
      await expect(page.getAttribute('.acts a', 'href')).resolves.toContain('accessGrantUrl=');
    });

    it.each([
      [ 'of another server', (): string => 'https://elsewhere.example/.access/vc/1' ],
      [ 'that is not there', (base: string): string => `${base}.access/vc/00000000-0000-4000-8000-000000000000` ],
      [ 'that leaves its path', (base: string): string => `${base}.access/vc/../status/1` ],
    ])('and find no request %s.', async(_, uri): Promise<void> => {
      const requestVcUrl = uri(citizens.world.base);
      const query = new URLSearchParams({ requestVcUrl, redirectUrl: 'javascript:alert(1)' });
      await logIn(`${citizens.pages}requests?${query}`);
      await page.waitForSelector('h1:has-text("We don’t know this question")');
      await page.waitForSelector('p:has-text("Are you someone else? Log out and log in again.")');
      await expect(page.locator('a[href^="javascript"]').count()).resolves.toBe(0);
    });
  });
});
