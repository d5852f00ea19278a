import { issueAccessRequest, redirectToAccessManagementUi } from '@inrupt/solid-client-access-grants';
import type { Page } from 'playwright-core';
import { accessRules } from '../support/accessRules';
import type { Shared } from '../support/sharing';
import { logInStockClient } from '../support/solidClient';
import { downloaded } from './browser';
import { CitizenWorld, faultsOf, login, violations } from './citizenWorld';

/** The questions of data users, in a real browser and on the real server. */
describe('The citizen\'s pages', (): void => {
  let citizens: CitizenWorld;
  let page: Page;

  beforeAll(async(): Promise<void> => {
    citizens = await CitizenWorld.start({
      usual: {},
      unknown: { forDataUser: 'https://nobody.example/card#me' },
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
    expect(assets.length).toBeGreaterThan(5);
    // Sizes as transferred.
    expect(assets.reduce((sum, { bytes }): number => sum + bytes, 0)).toBeLessThanOrEqual(60 * 1024);
  });

  it('ask, let the citizen choose and check, share, and lead back.', async(): Promise<void> => {
    await logIn(question());
    await page.waitForSelector('h1.sentence');
    await expect(page.textContent('h1.sentence')).resolves
      .toMatch(/^Meerling <b>Bank<\/b> asks to see your diploma to check whether .*, until \d+\u00A0\w+ \d{4}\.$/u);
    await expect(page.evaluate('document.activeElement.tagName')).resolves.toBe('H1');
    await expect(page.locator(':checked').count()).resolves.toBe(0);
    await expect(page.textContent('.row:has-text("promised")')).resolves.toContain('To give it to <i>nobody</i>.');
    await expect(faultsOf(page, 'consent')).resolves.toEqual([]);

    // Nothing chosen: an error is shown, and nothing is shared.
    await page.click('button:has-text("Continue")');
    await page.waitForSelector('.note.bad');
    await expect(page.evaluate('document.activeElement.className')).resolves.toContain('note');
    await expect(page.title()).resolves.toMatch(/^Error: Meerling .* asks for your data – /u);
    await expect(describedAs('.value input >> nth=0')).resolves.toContain('Choose at least one item');
    await expect(faultsOf(page, 'consent-unticked')).resolves.toEqual([]);

    await page.check('.value input >> nth=0');
    await page.click('button:has-text("Continue")');
    await page.waitForURL(`${citizens.pages}check?**`);
    await expect(page.textContent('h1')).resolves.toBe('Check before you share');
    await expect(faultsOf(page, 'check')).resolves.toEqual([]);
    // The choices are still there after a reload.
    await page.reload();
    await page.click('button:has-text("Share with")');
    await page.waitForURL(`${citizens.pages}shared?**`);
    await page.waitForSelector('.acts a');
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
    await expect(faultsOf(page, 'consent-again')).resolves.toEqual([]);
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
    await page.waitForSelector('h1.sentence');
    await expect(page.textContent('main')).resolves.toContain('We don’t know this organisation');
    await expect(page.textContent('main')).resolves.toContain('https://nobody.example/card#me');
  });

  it('say that a question is unknown.', async(): Promise<void> => {
    await logIn(question({ contract: 'none' }));
    await page.waitForSelector('h1:has-text("We don’t know this question")');
    await expect(faultsOf(page, 'consent-none')).resolves.toEqual([]);
  });

  it.each([
    [ 'over', 'This question ended on 31\u00A0January 2026.' ],
    [ 'later', 'This question opens on 1\u00A0February 2099.' ],
  ])('explain why a question is not open: %s.', async(contract, text): Promise<void> => {
    await logIn(question({ contract }));
    await page.waitForSelector('h1.sentence');
    await expect(page.textContent('main')).resolves.toContain(text);
    await expect(page.locator('[type=checkbox]').count()).resolves.toBe(0);
    await expect(faultsOf(page, `consent-${contract}`)).resolves.toEqual([]);
    await page.click('button:has-text("Don’t share")');
    await page.waitForSelector('h1:has-text("You shared nothing")');
  });

  it('announce the end of a log-in, and continue in the same place after the next one.', async(): Promise<void> => {
    await logIn(question());
    await page.check('.value input >> nth=0');
    await page.click('button:has-text("Continue")');
    await page.waitForSelector('h1:has-text("Check before you share")');
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
    await page.waitForSelector('.note.warn:has-text("You will be logged out in 2 minutes")');
    await page.waitForSelector('.note.warn:has-text("You were logged out")');
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
    await page.context().setOffline(false);
    await page.waitForSelector('.note.warn', { state: 'detached' });
  });

  it.each([
    [ 'nl', 'Meerling Bank wil uw diploma bekijken om na te gaan' ],
    [ 'fr', 'Meerling Bank souhaite consulter votre diplôme pour vérifier' ],
    [ 'de', 'Meerling Bank möchte Ihr Diplom einsehen, um zu prüfen' ],
  ])('are available in %s.', async(language, sentence): Promise<void> => {
    await logIn(question());
    await page.waitForSelector('h1.sentence');
    await page.click(`[hreflang=${language}]`);
    await page.waitForSelector(`h1.sentence:has-text("${sentence}")`);
    await expect(page.getAttribute('html', 'lang')).resolves.toBe(language);
    await expect(violations(page)).resolves.toEqual([]);
  });

  it('refuse to continue a log-in that this tab did not begin.', async(): Promise<void> => {
    await page.goto(`${citizens.pages}callback?code=stolen&state=x&iss=${encodeURIComponent(citizens.world.base)}`);
    await page.waitForSelector('.note.warn');
    await expect(page.textContent('.note')).resolves.toContain('Log in again');
  });

  it('show a value with an error, which cannot be chosen.', async(): Promise<void> => {
    const { citizen, world } = citizens;
    await world.writeDiploma(citizen, 3, '1', 'jan-incomplete');
    await logIn(question());
    await page.waitForSelector('.value.off:has-text("Can’t be shared")');
    await expect(page.textContent('.value.off')).resolves
      .toContain('From: Diploma <i>Register</i>. Is this wrong? Diploma <i>Register</i> can correct it.');
    await expect(page.locator('.value.off bdi:has-text("Diploma <i>Register</i>")').count()).resolves.toBe(2);
    await expect(page.locator('.value').count()).resolves.toBe(3);
    await expect(page.locator('.value input').count()).resolves.toBe(2);
    await expect(page.locator('.value.off :is(input, button, a)').count()).resolves.toBe(0);
    await expect(faultsOf(page, 'consent-error')).resolves.toEqual([]);
    await world.removeDiploma(citizen, 3);
  });

  it('render each kind of field of a summary.', async(): Promise<void> => {
    const kinds = [
      [ 'string', { items: [[{ value: 'one', language: 'en' }], [{ value: 'two', language: 'en' }]]}, /one.*two/u ],
      [ 'date', { value: '2024-06-30' }, /30\s+June\s+2024/u ],
      [ 'timestamp', { value: '2024-06-30T12:34:56Z' }, /30\s+June\s+2024.*\d\d:34/u ],
      [ 'boolean', { value: 'true' }, /Yes/u ],
      [ 'number', { value: '1234567.5' }, /1,234,567\.5/u ],
      [ 'error', { value: [{ value: 'Not to be read', language: 'en' }]}, /Not to be read/u ],
      [ 'group', { items: { in: { label: [], format: 'boolean', value: 'false' }}}, /No/u ],
    ] as const;
    await page.route('**/v1/contracts/usual/data', async(route): Promise<void> => {
      const response = await route.fetch();
      const answer = await response.json() as { dataValues: { summary: { details: object }}[] };
      answer.dataValues[0].summary.details = Object.fromEntries(kinds.map(([ format, more ]): [string, object] =>
        [ format, { label: [{ value: `A ${format}`, language: 'en' }], format, ...more }]));
      await route.fulfill({ response, json: answer });
    });
    await logIn(question());
    for (const [ format, , shown ] of kinds) {
      const field = page.locator(`.value >> nth=0 >> .facts > div:has-text("A ${format}")`);
      await expect(field.first().textContent()).resolves.toMatch(shown);
    }
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
    const hasFocus = 'document.activeElement === document.querySelectorAll(".value .facts > div")[50]';
    await page.waitForFunction(hasFocus);
    await expect(fields.nth(249).textContent()).resolves.toContain(text);
    await expect(page.locator('.value img').count()).resolves.toBe(0);

    // Before it is shared: the number of folded fields, and all of them to read.
    await page.check('.value input >> nth=0');
    await page.click('button:has-text("Continue")');
    await page.waitForSelector('.flag:has-text("4,950 fields are not shown yet.")');
    await page.click('button:has-text("Show 200 more fields")');
    await page.waitForSelector('.flag:has-text("4,750 fields are not shown yet.")');
    await expect(violations(page)).resolves.toEqual([]);
    const { bytes, name } = await downloaded(page, 'button:has-text("Download everything to read it in full (")');
    expect(name).toBe('data.json');
    expect(JSON.parse(bytes.toString())).toMatchObject([{ credentialSubject: {}}]);
  });

  it('keep personal data out of addresses, titles, storage and the server\'s log.', async(): Promise<void> => {
    await logIn(question());
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
    expect(policy).not.toContain('unsafe');
    for (const rule of [ `default-src 'none'`, `frame-ancestors 'none'`, `require-trusted-types-for 'script'` ]) {
      expect(policy).toContain(rule);
    }
  });

  describe('ask on behalf of a data user that has no contract', (): void => {
    it('and grant what the citizen chose, once.', async(): Promise<void> => {
      const url = await ask();
      await logIn(url);
      await page.waitForSelector('h1.sentence');
      await expect(page.textContent('h1')).resolves
        .toContain('asks to read and change the folder “plans” in your vault, until you stop it.');
      await expect(page.locator(':checked').count()).resolves.toBe(0);
      await expect(faultsOf(page, 'request')).resolves.toEqual([]);
      await page.click('button:has-text("Allow what I chose")');
      await page.waitForSelector('.note.bad:has-text("Choose at least one item")');
      await page.check('label:has-text("Change") input');
      await page.click('button:has-text("Allow what I chose")');
      await page.waitForSelector('.note.bad:has-text("Choose “Read” too")');
      await expect(page.title()).resolves.toMatch(/^Error: /u);
      await expect(describedAs('#mode-0')).resolves.toContain('Choose “Read” too');
      await expect(faultsOf(page, 'request-fault')).resolves.toEqual([]);
      await page.uncheck('label:has-text("Change") input');
      await page.check('label:has-text("Read") input');
      await page.click('button:has-text("Allow what I chose")');
      await page.waitForSelector('h1:has-text("has access now")');
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
      const { citizen: { client, podUrl }} = citizens;
      const headers = { 'content-type': 'text/plain' };
      expect((await client.request('PUT', `${podUrl}letters/a.txt`, { headers, body: 'Dear bank' })).status).toBe(201);
      await logIn(await ask({ resources: [ `${podUrl}letters/` ]}));
      await page.waitForSelector('p:has-text("Folder with 1 file")');
      await page.click('summary:has-text("See what is in it")');
      await page.waitForSelector('h3:has-text("a.txt")');
      await expect(faultsOf(page, 'request-folder')).resolves.toEqual([]);
    });

    it('and grant nothing when the citizen declines.', async(): Promise<void> => {
      await logIn(await ask());
      await page.click('button:has-text("Allow nothing")');
      await page.waitForSelector('h1:has-text("gets no access")');
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
