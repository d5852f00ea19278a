import type { Page } from 'playwright-core';
import type { ListedValue } from '../support/sharingWorld';
import { CitizenWorld, faultsOf, questionShown, violations } from './citizenWorld';

/** Questions about data of several sources, in a real browser and on the real server. */
describe('The pages of a question about data of several sources', (): void => {
  const [ diploma, certificate ] = [ 'diploma/2024-05-22', 'student-certificate/2024-06-01' ]
    .map((slug): string => `/v1/data-types/${slug}`);
  let citizens: CitizenWorld;
  let page: Page;

  beforeAll(async(): Promise<void> => {
    citizens = await CitizenWorld.start({
      both: { forDataType: [ diploma, certificate ]},
      certificates: { forDataType: [ certificate ]},
    }, { serviceName: 'Meerstad <b>' });
  });

  beforeEach(async(): Promise<void> => {
    page = await citizens.open();
  });

  afterEach(async(): Promise<void> => citizens.close());

  afterAll(async(): Promise<void> => {
    await citizens?.stop();
  });

  function question(contract: string): string {
    const query = { contract, redirect_uri: `${citizens.bank.base}shared`, state: 'here' };
    return `${citizens.pages}share?${new URLSearchParams(query)}`;
  }

  it('have the name of a service without a theme, from the log-in on.', async(): Promise<void> => {
    await page.goto(question('both'));
    await page.waitForURL(`${citizens.world.base}.account/login/password/`);
    await expect(page.title()).resolves.toMatch(/ – Meerstad <b>$/u);
    await page.goto(citizens.pages);
    await page.waitForSelector('main h1');
    await expect(page.textContent('.brand')).resolves.toMatch(/^\s*Meerstad <b>\s*$/u);
    await expect(page.textContent('.foot small')).resolves.toBe('Meerstad <b>');
    await expect(page.textContent('main')).resolves.not.toContain('run by');
  });

  it('say where each value comes from.', async(): Promise<void> => {
    await citizens.logIn(page, question('both'));
    await page.waitForSelector('.value >> nth=1');
    await expect(page.locator('.value:has-text("From: Diploma <i>Register</i>")').count()).resolves.toBe(2);
  });

  it('say that there is no data, who can help, and lead back.', async(): Promise<void> => {
    await citizens.logIn(page, question('certificates'));
    await page.waitForSelector('text=We have no data of this kind about you.');
    await expect(page.textContent('main')).resolves.toContain(
      'So there is nothing to share with Meerling <b>Bank</b>. Is something missing? Student Register can help you.',
    );
    await expect(page.locator('main form, main button').count()).resolves.toBe(0);
    await expect(faultsOf(page, 'consent-empty')).resolves.toEqual([]);
    await page.click('.acts a:has-text("Back to Meerling <b>Bank</b>")');
    await page.waitForURL(`${citizens.bank.base}shared?state=here&error=access_denied`);
  });

  // Runs before the other outages: after six failures in a row, requests to a source are paused.
  it('retry a source that did not answer, and keep the choices made meanwhile.', async(): Promise<void> => {
    await citizens.world.serveCertificate(citizens.citizen);
    await citizens.world.registry.stop();
    await citizens.logIn(page, question('both'));
    await page.waitForSelector('.note.warn');
    await page.check('.value input >> nth=1');
    await citizens.world.registry.start();
    await page.click('.note button:has-text("Try again")');
    await page.waitForSelector('.value >> nth=2');
    await expect(page.locator('.note').count()).resolves.toBe(0);
    await expect(page.isChecked('.value input >> nth=1')).resolves.toBe(true);

    // A chosen value of a source that does not answer has not changed.
    await page.check('.value:has-text("From: Student Register") input');
    await page.click('button:has-text("Continue")');
    await page.waitForSelector('h1:has-text("Check before you share")');
    await page.route('**/v1/contracts/both/data', async(route): Promise<void> => {
      const response = await route.fetch();
      const { dataValues } = await response.json() as { dataValues: ListedValue[] };
      await route.fulfill({ response, json: { dataValues: dataValues.map((value): Partial<ListedValue> =>
        value.type.endsWith(certificate) ? { type: value.type, unavailable: true } : value) }});
    });
    await page.reload();
    await page.waitForSelector('.note.warn h2:has-text("Student Register does not answer now")');
    await questionShown(page);
    await expect(page.locator(':checked').count()).resolves.toBe(1);
    await page.unroute('**/v1/contracts/both/data');
    await page.click('.note button:has-text("Try again")');
    await page.waitForSelector('.value:has-text("From: Student Register") :checked');
    await expect(page.locator(':checked').count()).resolves.toBe(2);
  });

  describe('while a source does not answer', (): void => {
    beforeEach(async(): Promise<void> => citizens.world.registry.stop());

    afterEach(async(): Promise<void> => citizens.world.registry.start());

    it('say so, and let the citizen share the rest.', async(): Promise<void> => {
      await citizens.logIn(page, question('both'));
      await page.waitForSelector('.note.warn h2:has-text("Student Register does not answer now")');
      await questionShown(page);
      await expect(page.textContent('.note.warn')).resolves.toContain('You can share the rest.');
      await expect(page.locator('.note bdi').textContent()).resolves.toBe('Student Register');
      await expect(page.locator('.value.off').count()).resolves.toBe(0);
      await expect(page.locator('.value input').count()).resolves.toBe(2);
      await expect(faultsOf(page, 'consent-away')).resolves.toEqual([]);

      // A mistake is shown in its place.
      await page.click('button:has-text("Continue")');
      await page.waitForSelector('.note.bad');
      await expect(page.locator('.note').count()).resolves.toBe(1);
    });

    it('share nothing when there is nothing else, and name no source that has no name.', async(): Promise<void> => {
      await page.route('**/v1/data-types?**', async(route): Promise<void> => route.abort());
      await citizens.logIn(page, question('certificates'));
      await page.waitForSelector('.note.warn h2:has-text("A source of your data does not answer now")');
      await expect(page.textContent('.note.warn')).resolves.toContain('Try again later.');
      await expect(page.locator('text=We have no data').count()).resolves.toBe(0);
      await expect(violations(page)).resolves.toEqual([]);
      await page.click('.acts a:has-text("Back to Meerling <b>Bank</b>")');
      await page.waitForURL(`${citizens.bank.base}shared?state=here&error=access_denied`);
    });
  });
});
