import type { Page } from 'playwright-core';
import { json, until, untilInMidHour } from '../support/sharingWorld';
import { downloaded, inMedia } from './browser';
import { CitizenWorld, faultsOf, questionShown, violations } from './citizenWorld';
import { servePagesElsewhere } from './pagesElsewhere';

/** The pages about a sharing, in a real browser and on the real server. */
describe('The pages about a sharing', (): void => {
  let citizens: CitizenWorld;
  let page: Page;

  beforeAll(async(): Promise<void> => {
    const contracts = { usual: {}, brief: { accessDuration: 'PT1S' }, hours: { accessDuration: 'PT12H' }};
    citizens = await CitizenWorld.start(contracts);
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

  /**
   * Gives the data user, or another one, access without a contract and without an end.
   *
   * @param resources - URIs of files or folders.
   * @param to - WebID of another data user.
   * @param terms - Members that differ from those of access to read.
   */
  async function give(
    resources: readonly string[],
    to = citizens.consumer.webId,
    terms: object = {},
  ): Promise<string> {
    const { citizen: { client }, world } = citizens;
    const credential = {
      '@context': [ 'https://www.w3.org/2018/credentials/v1' ],
      type: [ 'VerifiableCredential', 'SolidAccessGrant' ],
      credentialSubject: { providedConsent: {
        mode: [ 'http://www.w3.org/ns/auth/acl#Read' ],
        hasStatus: 'https://w3id.org/GConsent#ConsentStatusExplicitlyGiven',
        forPersonalData: resources,
        isProvidedTo: to,
        ...terms,
      }},
    };
    const given = await client.request('POST', `${world.base}.access/issue`, { body: { credential }});
    return (await json<{ id: string }>(given)).id;
  }

  /** Lets the data user put a file in a folder beside one of the citizen's. */
  async function receiveOffer(): Promise<void> {
    const { citizen: { client, podUrl }, consumer, world } = citizens;
    const file = { headers: { 'content-type': 'text/plain' }, body: 'An offer' };
    expect((await client.request('PUT', `${podUrl}offers/mine.txt`, file)).status).toBe(201);
    const mode = [ 'Read', 'Write', 'Append' ].map((name): string => `http://www.w3.org/ns/auth/acl#${name}`);
    await give([ `${podUrl}offers/` ], consumer.webId, { mode, inherit: true });
    expect((await consumer.client.request('PUT', `${podUrl}offers/ours.txt`, file)).status).toBe(201);
    // It is recorded up to a second later.
    await until(async(): Promise<boolean> =>
      (await (await client.request('GET', `${world.base}v1/activity`)).text()).includes('offers/ours.txt'));
  }

  it('say who read the data, and who keeps a copy for too long.', async(): Promise<void> => {
    const { citizen, consumer: { client }, world } = citizens;
    const [{ accessGrant, podResource }] = await world.shareAll(citizen);
    const grant = { accessGrant, podResource };
    await untilInMidHour();
    expect((await world.read(client, grant)).status).toBe(200);
    expect((await world.read(client, grant)).status).toBe(200);
    const body = { resource: podResource, accessGrant };
    await json(await client.request('POST', `${world.base}v1/data-copies`, { body }));
    // A read is recorded up to a second later.
    await until(async(): Promise<boolean> =>
      (await (await citizen.client.request('GET', `${world.base}v1/activity`)).text()).includes('"count":2'));
    await citizens.logIn(page, `${citizens.pages}overview`);
    await page.waitForSelector('.items li:has-text("Read 2 times, last on"):has-text("1 copy reported")');
    await expect(page.textContent('.items li p')).resolves.toMatch(/^\w.+\. Until \d+\u00A0\w+ \d{4}\.$/u);
    await expect(page.locator('.lead .flag').count()).resolves.toBe(0);
    // On paper there is the shared data, and no controls.
    await inMedia(page, { media: 'print' }, async(): Promise<void> => {
      await expect(page.isVisible('h2:has-text("Meerling")')).resolves.toBe(true);
      await expect(page.locator('.acts, .tabs, .tools').filter({ visible: true }).count()).resolves.toBe(0);
    });

    await page.goto(`${citizens.pages}detail?${new URLSearchParams({ grant: accessGrant })}`);
    await expect(page.textContent('tbody tr:first-child td:last-child')).resolves.toBe('2');
    await page.waitForSelector('.row p:has-text("told us on"):has-text("that it keeps a copy.")');
    await page.waitForSelector('.row p:has-text("We know of a copy only when Meerling <b>Bank</b> tells us.")');
    await expect(faultsOf(page, 'detail-read')).resolves.toEqual([]);
    // Two resources may be read in one millisecond.
    await page.route('**/v1/activity?**', async(route): Promise<void> => {
      const response = await route.fetch();
      const { activities, next } = await response.json() as { activities: { type: string }[]; next: string | null };
      await route.fulfill({ response, json: { activities: activities.flatMap((each): unknown[] =>
        each.type === 'resource.read' ? [ each, each ] : [ each ]), next }});
    });
    await page.reload();
    await page.waitForSelector('tbody tr >> nth=1');
    await page.unroute('**/v1/activity?**');
    const again = { ...body, storedAt: new Date().toISOString(), system: 'CRM \u202E<b>' };
    await json(await client.request('POST', `${world.base}v1/data-copies`, { body: again }));
    await page.reload();
    await expect(page.textContent('.row p:has-text("It is kept in: ") bdi >> nth=-1')).resolves.toBe('CRM <b>');

    await page.goto(`${citizens.pages}stop?${new URLSearchParams({ grant: accessGrant })}`);
    await page.click('button:has-text("Yes, stop sharing")');
    await page.click('.lead .flag a:has-text("1 organisation has not deleted its copy yet")');
    await page.waitForSelector('#late:target:has-text("has not yet told us that its copy is deleted")');
    await expect(violations(page)).resolves.toEqual([]);
    await json(await client.request('DELETE', `${world.base}v1/data-copies`, {
      body: { resource: podResource, reason: 'GRANT_REVOKED' },
    }));
  });

  it('say how long access lasts, with the time of day if it is brief.', async(): Promise<void> => {
    const { citizen, world } = citizens;
    await citizens.logIn(page, `${citizens.pages}share?contract=usual`);
    await page.waitForSelector('.row:has-text("Until when") p:has-text(" from today, so until ")');
    await page.goto(`${citizens.pages}share?contract=hours`);
    await questionShown(page);
    await expect(page.textContent('.row:has-text("Until when") p')).resolves
      .toMatch(/^12 hours from now, so until .* at \d\d:\d\d\. /u);
    await expect(faultsOf(page, 'consent-hours')).resolves.toEqual([]);
    const [{ accessGrant: grant }] = await world.shareAll(citizen, 'hours');
    await page.goto(`${citizens.pages}detail?${new URLSearchParams({ grant })}`);
    await page.waitForSelector('div:has(> dt:has-text("Stops on")) > dd:has-text(" at ")');
  });

  it('let the citizen search for one organisation among many.', async(): Promise<void> => {
    const { citizen } = citizens;
    const file = `${citizen.podUrl}plans/found.txt`;
    const grants = await Promise.all(Array.from({ length: 10 }, async(_, at): Promise<string> =>
      give([ file ], `https://office-${at}.example/#Me`)));
    await citizens.logIn(page, `${citizens.pages}overview`);
    const search = page.getByRole('searchbox', { name: 'Find an organisation' });
    const names = page.locator('.row h2:has-text("office")');
    await search.waitFor();
    await expect(names.allTextContents()).resolves
      .toEqual(grants.map((_, at): string => `https://office-${at}.example/#Me`));
    await search.fill(' OFFICE-7 ');
    await page.waitForSelector('[role=status]:has-text("1 organisation found")');
    await expect(names.allTextContents()).resolves.toEqual([ expect.stringContaining('office-7') ]);
    await search.fill('nobody');
    await page.waitForSelector('[role=status]:has-text("No organisation with this name")');
    await expect(names.count()).resolves.toBe(0);
    // What was typed stays when the language changes.
    await page.click('[hreflang=nl]');
    await page.waitForSelector('html[lang=nl] label[for=wanted]');
    await page.click('[hreflang=en]');
    await page.waitForSelector('html[lang=en] label[for=wanted]');
    await expect(search.inputValue()).resolves.toBe('nobody');
    await search.fill('');
    await page.waitForSelector('.row h2:has-text("office-9")');
    await expect(faultsOf(page, 'overview-many')).resolves.toEqual([]);
    const credentialStatus = [{ type: 'RevocationList2020Status', status: '1' }];
    for (const credentialId of grants) {
      const body = { credentialId, credentialStatus };
      const ended = await citizen.client.request('POST', `${citizens.world.base}.access/status`, { body });
      expect(ended.ok).toBe(true);
    }
  });

  it('say that stopping one of two sharings leaves the other, which has no end date.', async(): Promise<void> => {
    const { citizen, world } = citizens;
    const [{ accessGrant, podResource }, second ] = await world.shareAll(citizen);
    const file = `${citizen.podUrl}plans/<b>.txt`;
    const endless = await give([ podResource, second.podResource, encodeURI(file) ]);
    await give([ 'a', 'b', 'c', 'd', 'e' ].map((name): string => `${citizen.podUrl}plans/${name}.txt`));
    await citizens.logIn(page, `${citizens.pages}overview`);
    // Of many, the first ones are named.
    const many = page.locator('li:has(h3 a:has-text("a.txt, b.txt, c.txt and 2 more"))');
    await expect(many.locator('p >> nth=0').textContent()).resolves.toBe('No end date. It lasts until you stop it.');
    await page.goto(`${citizens.pages}detail?${new URLSearchParams({ grant: endless })}`);
    await page.waitForSelector('h1.sentence:has-text("may read your diploma and <b>.txt, until you stop it.")');
    await page.click('[hreflang=de]');
    await page.waitForSelector('h1:has-text("darf Ihr Diplom und <b>.txt lesen, und zwar bis Sie es beenden.")');
    await page.click('[hreflang=en]');
    // Everything is shown; what is unknown here by its address.
    const diplomas = '.row >> nth=0 >> h3:has-text("Master of")';
    await page.waitForSelector(`${diplomas} >> nth=1`);
    await expect(page.locator(diplomas).count()).resolves.toBe(2);
    await page.waitForSelector(`.row:has-text("${encodeURI(file)}")`);
    await expect(faultsOf(page, 'detail-endless')).resolves.toEqual([]);
    // It is said what may be changed. A purpose that fits into no sentence is apart from it.
    const changing = await give([ encodeURI(file) ], undefined, {
      mode: [ 'Read', 'Write' ].map((name): string => `http://www.w3.org/ns/auth/acl#${name}`),
      forPurpose: [ 'https://purposes.example/help' ],
    });
    await page.goto(`${citizens.pages}detail?${new URLSearchParams({ grant: changing })}`);
    await page.waitForSelector('h1.sentence:has-text("may read and change <b>.txt, until you stop it.")');
    await page.waitForSelector('.row:has(h2:has-text("What for")) p:has-text("https://purposes.example/help")');

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

  describe('work from another origin', (): void => {
    let elsewhere: Awaited<ReturnType<typeof servePagesElsewhere>>;

    beforeAll(async(): Promise<void> => {
      elsewhere = await servePagesElsewhere(citizens.world.base);
    });

    afterAll(async(): Promise<void> => elsewhere?.stop());

    it('where an address without a page leads to the start page.', async(): Promise<void> => {
      for (const path of [ 'none', 'none/', 'none/share' ]) {
        await page.goto(`${elsewhere.pages}${path}`);
        await page.waitForSelector('h1:has-text("This page does not exist")');
      }
      await page.click('main a:has-text("Go to the start page")');
      await page.waitForSelector('h1:has-text("Your data. You decide.")');
    });

    it('where a citizen shares, reads, stops and logs out by the public interface alone.', async(): Promise<void> => {
      const { bank, citizen: { podUrl }, consumer, world } = citizens;
      const asked = new Set<string>();
      let shown = '';
      page.on('request', (request): void => {
        // The log-in is on pages of the service. Firefox may report a page's URL after the page's first requests.
        if (request.isNavigationRequest() && request.url().startsWith('http')) {
          shown = request.url();
        } else if (shown.startsWith(elsewhere.pages)) {
          asked.add(request.url());
        }
      });
      const query = new URLSearchParams({ contract: 'usual', redirect_uri: `${bank.base}shared`, state: 'x' });
      await citizens.logIn(page, `${elsewhere.pages}share?${query}`);
      await questionShown(page, 'asks to see your diploma');
      await expect(page.textContent('.brand')).resolves.toMatch(/^\s*My data vault City of Ghent\s*$/u);
      await expect(page.evaluate('getComputedStyle(document.querySelector(".btn.solid")).backgroundColor')).resolves
        .toBe('rgb(122, 31, 92)');
      await page.evaluate('document.querySelector(".mark").decode()');
      await page.check('.value input >> nth=0');
      await page.click('button:has-text("Continue")');
      await page.click('button:has-text("Share with")');
      const back = new URL((await page.getAttribute('.acts a', 'href'))!);
      expect(`${back.origin}${back.pathname}`).toBe(`${bank.base}shared`);
      const shared = {
        podResource: back.searchParams.get('resource')!,
        accessGrant: back.searchParams.get('access_grant')!,
      };
      expect((await world.read(consumer.client, shared)).status).toBe(200);

      await page.goto(`${elsewhere.pages}data`);
      await page.waitForSelector('h2:has-text("Diploma")');
      const file = await downloaded(page, 'button:has-text("Download"):has-text("kB") >> nth=0');
      expect(JSON.parse(file.bytes.toString())).toHaveProperty('credentialSubject');
      await page.goto(`${elsewhere.pages}stop?${new URLSearchParams({ grant: shared.accessGrant })}`);
      await page.click('button:has-text("Yes, stop sharing")');
      await page.waitForSelector('.note.good');
      expect((await world.read(consumer.client, shared)).status).toBe(403);

      const service = [ 'v1/', '.access/', '.oidc/', '.well-known/' ].map((path): string => `${world.base}${path}`);
      const known = [ elsewhere.pages, podUrl, ...service, `blob:${new URL(elsewhere.pages).origin}` ];
      expect([ ...asked ].some((url): boolean => url.startsWith(service[0]))).toBe(true);
      expect([ ...asked ].filter((url): boolean => !known.some((start): boolean => url.startsWith(start))))
        .toEqual([]);
      await page.click('text=Log out');
      await page.waitForURL(`${world.base}.oidc/session/end**`);
      await page.click('[name=logout]');
      await page.waitForURL(`${elsewhere.pages}logged-out**`);
      await page.waitForSelector('h1:has-text("You are logged out")');
    });
  });

  describe('give a receipt', (): void => {
    it('to print and to keep, with the terms agreed.', async(): Promise<void> => {
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
        'Read this, as often as needed. Keep a copy while access lasts.',
        'Log in at localhost:',
      ]) {
        expect(text).toContain(part);
      }
      // What was asked comes back in the same order.
      await expect(page.locator('.row:has-text("On these terms") dt').allTextContents()).resolves
        .toEqual([ 'What for', 'Until when', 'What Meerling <b>Bank</b> may do', 'How you stop' ]);
      await expect(faultsOf(page, 'receipt')).resolves.toEqual([]);

      const { name, bytes } = await downloaded(page, 'button:has-text("Download for computers")');
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
      await inMedia(page, { media: 'print' }, async(): Promise<void> => {
        await expect(page.locator('.acts, .tabs, .tools, .back').filter({ visible: true }).count()).resolves.toBe(0);
        await expect(page.isVisible(`code:has-text("${number}")`)).resolves.toBe(true);
        const address = `getComputedStyle(document.querySelector('main a[href^=http]'), '::after').content`;
        await expect(page.evaluate(address)).resolves.toContain('https://bank.example/privacy');
      });
    });

    it('that says how the consent ended.', async(): Promise<void> => {
      const { citizen, consumer, world } = citizens;
      await receiveOffer();
      const [ first, second ] = await world.shareAll(citizen);
      const [ brief ] = await world.shareAll(citizen, 'brief');
      await citizens.logIn(page, `${citizens.pages}stop?${new URLSearchParams({ grant: first.accessGrant })}`);
      await page.click('button:has-text("Yes, stop sharing")');
      await page.waitForSelector('.note.good');
      await openReceipt(first.accessGrant);
      await page.waitForSelector('.big:has-text("You stopped this on")');
      await expect(page.locator('dt:has-text("How you stop")').count()).resolves.toBe(0);
      await expect(faultsOf(page, 'receipt-stopped')).resolves.toEqual([]);
      await page.goto(`${citizens.pages}detail?${new URLSearchParams({ grant: first.accessGrant })}`);
      await page.waitForSelector('h1.sentence:has-text("could read your diploma until")');
      await expect(page.locator('.lead .acts').count()).resolves.toBe(0);
      await page.waitForSelector('dt:has-text("Stopped on")');
      await expect(page.locator('dt:has-text("Stops on")').count()).resolves.toBe(0);

      await until(async(): Promise<boolean> => (await world.read(consumer.client, brief)).status === 403);
      await openReceipt(brief.accessGrant);
      await page.waitForSelector('.big:has-text("Stopped by itself on")');

      // The source now has another version of both.
      await Promise.all([ 1, 2 ].map(async(at): Promise<void> => world.writeDiploma(citizen, at, '2')));
      expect((await world.read(consumer.client, second, '&verified=true')).status).toBe(404);
      await page.goto(`${citizens.pages}detail?${new URLSearchParams({ grant: second.accessGrant })}`);
      await page.waitForSelector('.note.warn:has-text("changed or withdrew this data on")');
      await expect(page.textContent('.note.warn')).resolves.toContain('Diploma <i>Register</i> changed');
      await expect(faultsOf(page, 'detail-invalid')).resolves.toEqual([]);
      await page.goto(`${citizens.pages}data`);
      await page.waitForSelector('.flag:has-text("The source no longer stands by this version.")');
      // What others put in the vault says so.
      await page.click('summary:has-text("offers")');
      await page.waitForSelector('li:has(> div > h3:has-text("ours.txt")) bdi:has-text("Meerling <b>Bank</b>")');
      await expect(page.locator('p:has-text("Put here by Meerling <b>Bank</b> on")').count()).resolves.toBe(1);
    });

    it.each([
      [ 'of another server', (): string => 'https://elsewhere.example/.access/vc/1' ],
      [ 'that is not there', (base: string): string => `${base}.access/vc/00000000-0000-4000-8000-000000000000` ],
    ])('for no grant %s.', async(_, uri): Promise<void> => {
      const grant = uri(citizens.world.base);
      await citizens.logIn(page, `${citizens.pages}receipt?${new URLSearchParams({ grant })}`);
      await page.waitForSelector('h1:has-text("This page does not exist")');
      await page.waitForSelector('main a:has-text("Go to the start page")');
      await page.waitForSelector('p:has-text("Are you someone else? Log out and log in again.")');
      await expect(faultsOf(page, 'not-found')).resolves.toEqual([]);
    });
  });
});
