import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { json, until } from '../support/sharingWorld';
import { CitizenWorld, faultsOf, violations } from './citizenWorld';

const theme = join(__dirname, '../fixtures/theme');

/** The pages on which a citizen sees what is there, in a real browser and on the real server. */
describe('The citizen\'s own pages', (): void => {
  let citizens: CitizenWorld;
  let page: Page;

  beforeAll(async(): Promise<void> => {
    citizens = await CitizenWorld.start({ usual: {}, brief: { accessDuration: 'PT1S' }}, { theme });
  });

  beforeEach(async(): Promise<void> => {
    page = await citizens.open();
  });

  afterEach(async(): Promise<void> => citizens.close());

  afterAll(async(): Promise<void> => {
    await citizens?.stop();
  });

  async function openReceipt(grant: string): Promise<void> {
    await page.goto(`${citizens.pages}receipt?${new URLSearchParams({ grant })}`);
  }

  /** The download that the page offers on a click. */
  async function downloaded(selector: string): Promise<{ name: string; bytes: Buffer }> {
    const [ download ] = await Promise.all([ page.waitForEvent('download'), page.click(selector) ]);
    return { name: download.suggestedFilename(), bytes: await readFile(await download.path()) };
  }

  describe('begin with what this is', (): void => {
    it('for who is not logged in.', async(): Promise<void> => {
      await page.goto(citizens.pages);
      await page.waitForSelector('h1:has-text("Your data. You decide.")');
      await expect(page.textContent('.sentence')).resolves.toContain('A bank asks to see your diploma to assess');
      await expect(page.locator('.tabs').count()).resolves.toBe(0);
      await expect(faultsOf(page, 'home')).resolves.toEqual([]);
      await page.click('text=Description of the interface');
      await page.waitForURL('**/v1/docs');
    });
  });

  describe('wear the theme of the operator', (): void => {
    const logo = '(async (img) => { await img.decode(); return img.naturalWidth; })(document.querySelector(".brand img"))';
    const colours = `[ '.brand', '.btn.solid' ].map((part) => getComputedStyle(document.querySelector(part)))
      .map(({ backgroundColor, fontFamily }) => [ backgroundColor, fontFamily ])[1]`;

    it('with its name, colours, font, logo and links, and print in black on white.', async(): Promise<void> => {
      await page.goto(citizens.pages);
      await page.waitForSelector('.btn.solid');
      await expect(page.textContent('.brand')).resolves.toMatch(/^\s*My Vault <b>& Co City of Hoogwaerde\s*$/u);
      await expect(page.title()).resolves.toContain('My Vault <b>& Co');
      await expect(page.evaluate(colours)).resolves.toEqual([ 'rgb(122, 31, 92)', 'Georgia, serif' ]);
      await expect(page.evaluate(logo)).resolves.toBeGreaterThan(0);
      await expect(page.getAttribute('.foot a:has-text("Help and contact")', 'href')).resolves
        .toBe('https://help.example/en');
      await expect(faultsOf(page, 'themed')).resolves.toEqual([]);
      await page.emulateMedia({ colorScheme: 'dark' });
      await expect(page.evaluate(colours)).resolves.toEqual([ 'rgb(240, 166, 216)', 'Georgia, serif' ]);
      await page.emulateMedia({ media: 'print' });
      await expect(page.evaluate('getComputedStyle(document.querySelector("main a")).color')).resolves
        .toBe('rgb(0, 0, 0)');
    });

    it('at the log-in, too.', async(): Promise<void> => {
      await page.goto(`${citizens.world.base}.account/login/password/`);
      await page.waitForSelector('.btn.solid');
      await expect(page.textContent('.brand')).resolves.toContain('My Vault <b>& Co');
      await expect(page.textContent('.foot')).resolves.toContain('City of Hoogwaerde');
      await expect(page.evaluate(colours)).resolves.toEqual([ 'rgb(122, 31, 92)', 'Georgia, serif' ]);
      await expect(page.evaluate(logo)).resolves.toBeGreaterThan(0);
      await expect(violations(page)).resolves.toEqual([]);
    });
  });

  describe('show the vault', (): void => {
    it('while nothing is in it.', async(): Promise<void> => {
      await citizens.logIn(page, `${citizens.pages}data`);
      await page.waitForSelector('h2:has-text("Your vault is empty")');
      await expect(page.textContent('.tabs [aria-current]')).resolves.toBe('My data');
      await expect(faultsOf(page, 'data-empty')).resolves.toEqual([]);
    });

    it('with what was shared, in words, and other files, to read and to download.', async(): Promise<void> => {
      const { citizen, world } = citizens;
      const [ shared ] = await world.shareAll(citizen);
      const note = { headers: { 'content-type': 'text/plain' }, body: 'bread <img src=x onerror=alert(1)>' };
      const put = await citizen.client.request('PUT', `${citizen.podUrl}lists/shopping%3Cb%3E.txt`, note);
      expect(put.status).toBe(201);
      await citizens.logIn(page, `${citizens.pages}data`);
      await page.waitForSelector('h2:has-text("Diploma")');
      await expect(page.locator('h3:has-text("Master of")').count()).resolves.toBe(2);
      await expect(page.textContent('.items li:first-child')).resolves.toContain('Shared with Meerling <b>Bank</b>');

      await page.click('details:has(.facts) summary >> nth=0');
      await page.waitForSelector('dt:has-text("Date of award")');
      const diploma = await downloaded('button:has-text("Download"):has-text("kB") >> nth=-1');
      expect(diploma.name).toMatch(/\.jsonld$/u);
      expect(diploma.bytes.toString()).toBe(await (await citizen.client.request('GET', shared.podResource)).text());

      await page.click('summary:has-text("lists")');
      await page.waitForSelector('h3:has-text("shopping<b>.txt")');
      await expect(faultsOf(page, 'data')).resolves.toEqual([]);
      expect((await downloaded('button:has-text("shopping<b>.txt")')).bytes.toString()).toBe(note.body);
      const all = await downloaded('button:has-text("Download everything")');
      expect(all.name).toBe('my-vault.zip');
      for (const name of [ 'lists/shopping<b>.txt', new URL(shared.podResource).pathname.split('/').at(-1)! ]) {
        expect(all.bytes.toString('latin1')).toContain(name);
      }
    });
  });

  describe('show with whom is shared', (): void => {
    it('and stop one sharing when the citizen says so.', async(): Promise<void> => {
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
      // An address alone says nothing.
      await page.goto(`${citizens.pages}overview?${new URLSearchParams({ stopped: grant! })}`);
      await page.waitForSelector('h2:has-text("Meerling <b>Bank</b>")');
      await expect(page.locator('.note').count()).resolves.toBe(0);

      await page.goto(`${citizens.pages}stop?${new URLSearchParams({ grant: grant! })}`);
      await page.waitForSelector('h1:has-text("Stop sharing your diploma with")');
      await page.click('text=No, keep sharing');
      await page.waitForSelector('h1.sentence');
      await page.click('.lead .acts a');
      await page.click('button:has-text("Yes, stop sharing")');
      await page.waitForSelector('.note.good');
      // The other diploma can be read still.
      await expect(page.textContent('.note.good h2')).resolves
        .toMatch(/^Stopped\. Meerling <b>Bank<\/b> can no longer read Master of .*\.$/u);
      await expect(page.evaluate('document.activeElement.className')).resolves.toContain('note');
      expect(shared).toHaveLength(2);
      for (const each of shared) {
        expect((await world.read(consumer.client, each)).status).toBe(each.accessGrant === grant ? 403 : 200);
      }
    });

    it('and stop all with one organisation, naming what did not stop.', async(): Promise<void> => {
      const { citizen, consumer, world } = citizens;
      const shared = await world.shareAll(citizen);
      await citizens.logIn(page, `${citizens.pages}overview`);
      await page.click('a:has-text("Stop everything with")');
      await page.waitForSelector('h1:has-text("Stop everything with")');
      await expect(faultsOf(page, 'stop')).resolves.toEqual([]);

      const [{ accessGrant: failing }, stopping ] = shared;
      await page.route('**/.access/status', async(route): Promise<void> =>
        route.request().postData()!.includes(failing) ? route.abort() : route.continue());
      await page.click('button:has-text("Yes, stop sharing")');
      await page.waitForSelector('.note.warn:has-text("can perhaps still read Master of")');
      await expect(page.locator('.note p').count()).resolves.toBe(1);
      await expect(page.evaluate('document.activeElement.className')).resolves.toContain('note');
      expect((await world.read(consumer.client, stopping)).status).toBe(403);
      expect((await world.read(consumer.client, shared[0])).status).toBe(200);
      await expect(faultsOf(page, 'stop-unsure')).resolves.toEqual([]);

      await page.unroute('**/.access/status');
      await page.click('button:has-text("Yes, stop sharing")');
      await page.waitForSelector('.note.good h2:has-text("can no longer read any of your data here")');
      await page.waitForSelector('h2:has-text("Ended")');
      await expect(faultsOf(page, 'overview-ended')).resolves.toEqual([]);
      expect((await world.read(consumer.client, shared[0])).status).toBe(403);
    });
  });

  it('say who read it, and who keeps a copy for too long.', async(): Promise<void> => {
    const { citizen, consumer: { client }, world } = citizens;
    const [{ accessGrant, podResource }] = await world.shareAll(citizen);
    const grant = { accessGrant, podResource };
    expect((await world.read(client, grant)).status).toBe(200);
    expect((await world.read(client, grant)).status).toBe(200);
    const body = { resource: podResource, accessGrant };
    await json(await client.request('POST', `${world.base}v1/data-copies`, { body }));
    // A read comes on record up to a second later.
    await until(async(): Promise<boolean> =>
      (await (await citizen.client.request('GET', `${world.base}v1/activity`)).text()).includes('"count":2'));
    await citizens.logIn(page, `${citizens.pages}overview`);
    await page.waitForSelector('.items li:has-text("Read 2 times, last on"):has-text("1 copy reported")');
    await expect(page.locator('.lead .flag').count()).resolves.toBe(0);

    await page.goto(`${citizens.pages}detail?${new URLSearchParams({ grant: accessGrant })}`);
    await expect(page.textContent('tbody tr:first-child td:last-child')).resolves.toBe('2');
    await expect(faultsOf(page, 'detail-read')).resolves.toEqual([]);

    await page.goto(`${citizens.pages}stop?${new URLSearchParams({ grant: accessGrant })}`);
    await page.click('button:has-text("Yes, stop sharing")');
    await page.click('.lead .flag a:has-text("1 organisation has not deleted its copy yet")');
    await page.waitForSelector('#late:target:has-text("has not yet told us that its copy is deleted")');
    await expect(faultsOf(page, 'overview-late')).resolves.toEqual([]);
    await json(await client.request('DELETE', `${world.base}v1/data-copies`, {
      body: { resource: podResource, reason: 'GRANT_REVOKED' },
    }));
  });

  it('say that stopping one of two leaves the other, which has no end.', async(): Promise<void> => {
    const { citizen, consumer, world } = citizens;
    const [{ accessGrant, podResource }] = await world.shareAll(citizen);
    const credential = {
      '@context': [ 'https://www.w3.org/2018/credentials/v1' ],
      type: [ 'VerifiableCredential', 'SolidAccessGrant' ],
      credentialSubject: { providedConsent: {
        mode: [ 'http://www.w3.org/ns/auth/acl#Read' ],
        hasStatus: 'https://w3id.org/GConsent#ConsentStatusExplicitlyGiven',
        forPersonalData: [ podResource ],
        isProvidedTo: consumer.webId,
      }},
    };
    const { id: endless } = await json<{ id: string }>(
      await citizen.client.request('POST', `${world.base}.access/issue`, { body: { credential }}),
    );
    await citizens.logIn(page, `${citizens.pages}detail?${new URLSearchParams({ grant: endless })}`);
    await page.waitForSelector('h1.sentence:has-text("may read your diploma, until you stop it.")');
    await expect(faultsOf(page, 'detail-endless')).resolves.toEqual([]);

    await page.goto(`${citizens.pages}stop?${new URLSearchParams({ grant: accessGrant })}`);
    await page.click('button:has-text("Yes, stop sharing")');
    await page.waitForSelector('.note.good:has-text("because you share it more than once")');
    await page.goto(`${citizens.pages}receipt?${new URLSearchParams({ grant: endless })}`);
    await page.waitForSelector('dd:has-text("No end date. It lasts until you stop it.")');
    await page.waitForSelector('dd:has-text("Not filled in")');
    await page.goto(`${citizens.pages}stop?${new URLSearchParams({ grant: endless })}`);
    await page.click('button:has-text("Yes, stop sharing")');
    await page.waitForSelector('.note.good');
  });

  describe('give a receipt', (): void => {
    it('to print and to keep, with what was agreed.', async(): Promise<void> => {
      const { citizen, world } = citizens;
      const [{ accessGrant: grant, podResource }] = await world.shareAll(citizen);
      await citizens.logIn(page, `${citizens.pages}detail?${new URLSearchParams({ grant })}`);
      await page.click('text=View or print the receipt');
      await page.waitForSelector('h1:has-text("Receipt of what you shared")');
      const text = await page.textContent('main');
      for (const part of [
        'You agreed on ',
        'Meerling <b>Bank</b>',
        citizen.webId,
        'privacy@bank.example',
        'Master of',
        podResource,
        'After that, access stops by itself.',
        'Read this, as often as needed.',
        'Log in at localhost:',
      ]) {
        expect(text).toContain(part);
      }
      await expect(faultsOf(page, 'receipt')).resolves.toEqual([]);

      const { name, bytes } = await downloaded('button:has-text("Download for computers")');
      const number = (await page.textContent('.row:last-child code'))!;
      expect(name).toBe(`receipt-${number}.jsonld`);
      expect(JSON.parse(bytes.toString())).toMatchObject({
        id: `urn:uuid:${number}`,
        credentialSubject: { 'dpv:hasRecordOfActivity': { id: grant }},
        proof: { cryptosuite: 'eddsa-rdfc-2022' },
      });

      await page.evaluate('window.print = () => { document.body.dataset.printed = "yes"; }');
      await page.click('button:has-text("Print")');
      await page.waitForSelector('[data-printed=yes]');
      await page.emulateMedia({ media: 'print' });
      await expect(page.locator('.acts, .tabs, .tools, .back').filter({ visible: true }).count()).resolves.toBe(0);
      await expect(page.isVisible(`code:has-text("${number}")`)).resolves.toBe(true);
    });

    it('that says how the consent ended.', async(): Promise<void> => {
      const { citizen, consumer, world } = citizens;
      const [ first, second ] = await world.shareAll(citizen);
      const [ brief ] = await world.shareAll(citizen, 'brief');
      await citizens.logIn(page, `${citizens.pages}stop?${new URLSearchParams({ grant: first.accessGrant })}`);
      await page.click('button:has-text("Yes, stop sharing")');
      await page.waitForSelector('.note.good');
      await openReceipt(first.accessGrant);
      await page.waitForSelector('.big:has-text("You stopped this on")');
      await expect(page.locator('dt:has-text("How you stop")').count()).resolves.toBe(0);
      await expect(faultsOf(page, 'receipt-stopped')).resolves.toEqual([]);

      await until(async(): Promise<boolean> => (await world.read(consumer.client, brief)).status === 403);
      await openReceipt(brief.accessGrant);
      await page.waitForSelector('.big:has-text("Stopped by itself on")');

      // The source has another version of both.
      await Promise.all([ 1, 2 ].map(async(at): Promise<void> => world.writeDiploma(citizen, at, '2')));
      expect((await world.read(consumer.client, second, '&verified=true')).status).toBe(404);
      await page.goto(`${citizens.pages}detail?${new URLSearchParams({ grant: second.accessGrant })}`);
      await page.waitForSelector('.note.warn:has-text("The source changed or withdrew this data on")');
      await expect(faultsOf(page, 'detail-invalid')).resolves.toEqual([]);
    });

    it.each([
      [ 'of another server', (): string => 'https://elsewhere.example/.access/vc/1' ],
      [ 'that is not there', (base: string): string => `${base}.access/vc/00000000-0000-4000-8000-000000000000` ],
    ])('of no grant %s.', async(_, uri): Promise<void> => {
      const grant = uri(citizens.world.base);
      await citizens.logIn(page, `${citizens.pages}receipt?${new URLSearchParams({ grant })}`);
      await page.waitForSelector('h1:has-text("This page does not exist")');
    });
  });
});
