import { issueAccessRequest } from '@inrupt/solid-client-access-grants';
import type { Page } from 'playwright-core';
import { operateBeside } from '../support/commandLine';
import { json, until } from '../support/sharingWorld';
import { logInStockClient } from '../support/solidClient';
import { holdRequests } from './browser';
import { CitizenWorld, faultsOf, questionShown, violations } from './citizenWorld';

/** A question and its answer while something else happens, in a real browser and on the real server. */
describe('The pages of a question', (): void => {
  let citizens: CitizenWorld;
  let page: Page;

  beforeAll(async(): Promise<void> => {
    citizens = await CitizenWorld.start({ usual: {}, paused: {}});
  });

  beforeEach(async(): Promise<void> => {
    page = await citizens.open();
  });

  afterEach(async(): Promise<void> => citizens.close());

  afterAll(async(): Promise<void> => {
    await citizens?.stop();
  });

  function question(contract = 'usual'): string {
    return `${citizens.pages}share?${new URLSearchParams({ contract })}`;
  }

  /** Chooses a value of a question, and goes on to the check. */
  async function choose(at: number, of = page): Promise<void> {
    // By the keyboard: a note that a value above is shared already comes a moment later, and moves this one.
    await of.press(`.value input >> nth=${at}`, 'Space');
    await of.click('button:has-text("Continue")');
    await of.waitForSelector('h1:has-text("Check before you share")');
  }

  /** Loads a page again in a browser that has forgotten the log-in here, but not that at the identity provider. */
  async function reloadLoggedOut(of: Page): Promise<void> {
    await of.evaluate(`new Promise((done) => {
      indexedDB.open('citizen-pages').onsuccess = ({ target: { result } }) => {
        result.transaction('session', 'readwrite').objectStore('session').clear().onsuccess = () => done();
      };
    })`);
    const logIn = of.waitForRequest('**/.oidc/auth?**');
    await of.reload();
    await logIn;
  }

  async function logInAgain(of: Page): Promise<void> {
    await reloadLoggedOut(of);
    await questionShown(of);
  }

  async function countGrants(): Promise<number> {
    const { citizen: { client }, world } = citizens;
    const list = await client.request('GET', `${world.base}v1/access-grants?status=ACTIVE`);
    return (await json<{ accessGrants: unknown[] }>(list)).accessGrants.length;
  }

  it('share once, even if the first response was lost or was an error.', async(): Promise<void> => {
    const before = await countGrants();
    await citizens.logIn(page, question());
    await choose(0);
    let calls = 0;
    await page.route('**/v1/contracts/usual/data', async(route): Promise<void> => {
      if (route.request().method() !== 'POST' || calls === 2) {
        return route.continue();
      }
      calls += 1;
      const call = calls;
      // It is carried out, but the response is lost. Until then the page says that it waits.
      await route.fetch();
      await page.waitForSelector('[aria-disabled=true]:has-text("Sharing… Please wait.")');
      return call === 1 ? route.abort() : route.fulfill({ status: 500, body: '' });
    });
    for (let tries = 1; tries <= 2; tries += 1) {
      // The second press does nothing.
      await page.dblclick('button:has-text("Share with")');
      await page.waitForSelector('.note.warn:focus:has-text("We don’t know yet")');
      expect(calls).toBe(tries);
      await expect(page.getAttribute('.note a', 'href')).resolves.toBe('/.app/overview');
      // It is unknown whether that still holds.
      await expect(page.locator('text=Nothing is shared yet').count()).resolves.toBe(0);
      await expect(violations(page)).resolves.toEqual([]);
    }
    await page.click('button:has-text("Share with")');
    await page.waitForSelector('h1:has-text("You shared your diploma")');
    await expect(countGrants()).resolves.toBe(before + 1);
  });

  it('keep what is chosen when they are loaded again, and at the next log-in.', async(): Promise<void> => {
    await citizens.logIn(page, question());
    await page.press('.value input >> nth=1', 'Space');
    await page.reload();
    await questionShown(page);
    await expect(page.locator(':checked').count()).resolves.toBe(1);
    await expect(page.isChecked('.value input >> nth=1')).resolves.toBe(true);
    await logInAgain(page);
    await expect(page.isChecked('.value input >> nth=1')).resolves.toBe(true);
    // It was the citizen's choice: what is said above it is true, too.
    await expect(page.textContent('#hint')).resolves.toMatch(/^Nothing is chosen for you\./u);
    await page.press('.value input >> nth=1', 'Space');
    await page.reload();
    await questionShown(page);
    await expect(page.locator(':checked').count()).resolves.toBe(0);
  });

  it('share nothing that changed after it was listed, and show the current value.', async(): Promise<void> => {
    const before = await countGrants();
    const { citizen, world } = citizens;
    await citizens.logIn(page, question());
    await page.check('#value-0');
    await choose(1);
    await world.writeDiploma(citizen, 2, '2');
    await page.click('button:has-text("Share with")');
    // The question lists the new version, to be chosen again. Unchanged values stay chosen.
    await page.waitForSelector('.note.warn:focus:has-text("Your data changed while you were reading")');
    await questionShown(page);
    await expect(page.locator('.value input').count()).resolves.toBe(2);
    await expect(page.locator(':checked').count()).resolves.toBe(1);
    await expect(violations(page)).resolves.toEqual([]);
    await expect(countGrants()).resolves.toBe(before);
  });

  it('report a suspension by the operator in the meantime, and share nothing.', async(): Promise<void> => {
    const [{ accessGrant }] = await citizens.world.shareAll(citizens.citizen, 'paused');
    await citizens.logIn(page, question('paused'));
    await choose(0);
    await expect(operateBeside(citizens.world.server, [ 'suspend', '--contract', 'paused', '--force' ])).resolves
      .toMatchObject({ code: 0, errors: '' });
    await page.click('button:has-text("Share with")');
    await page.waitForSelector('.note.warn h2:has-text("can’t ask for data now")');
    await expect(page.locator('[type=checkbox]').count()).resolves.toBe(0);
    await expect(violations(page)).resolves.toEqual([]);
    // The address of the check leads there, too.
    await page.goto(question('paused').replace('share?', 'check?'));
    await page.waitForSelector('.note.warn h2:has-text("can’t ask for data now")');

    // What was shared before is still shared, and cannot be read now.
    await page.goto(`${citizens.pages}overview`);
    await page.waitForSelector('.items li .flag:has-text("can’t read this now")');
    await expect(faultsOf(page, 'overview-suspended')).resolves.toEqual([]);
    await page.goto(`${citizens.pages}detail?${new URLSearchParams({ grant: accessGrant })}`);
    await page.waitForSelector('.note.warn h2:has-text("can’t read this now")');
    await expect(faultsOf(page, 'detail-suspended')).resolves.toEqual([]);
  });

  it('are independent in two tabs, and log out in both.', async(): Promise<void> => {
    await citizens.logIn(page, question());
    await choose(0);
    const other = await page.context().newPage();
    await other.goto(question());
    await questionShown(other);
    await expect(other.locator(':checked').count()).resolves.toBe(0);
    await choose(1, other);
    const [ mine, theirs ] = await Promise.all([ page, other ].map(async(each): Promise<string> =>
      each.evaluate<string>('sessionStorage.choice')));
    expect(mine).not.toBe(theirs);
    await page.reload();
    await page.waitForSelector('.facts');
    await expect(page.evaluate('sessionStorage.choice')).resolves.toBe(mine);

    await other.click('text=Log out');
    await other.waitForURL(`${citizens.world.base}.oidc/session/end**`);
    await other.click('[name=logout]');
    await other.waitForSelector('h1:has-text("You are logged out")');
    await page.reload();
    await page.waitForURL(`${citizens.world.base}.account/login/**`);
  });

  it('leave the log-in of another tab alone when their own is refused.', async(): Promise<void> => {
    await citizens.logIn(page, question());
    await questionShown(page);
    const other = await page.context().newPage();
    await other.goto(question());
    await logInAgain(other);
    await page.bringToFront();
    await page.press('.value input >> nth=0', 'Space');
    await page.route('**/v1/contracts/usual/data', async(route): Promise<void> =>
      route.fulfill({ status: 401, headers: { 'www-authenticate': 'DPoP error="invalid_token"' }}));
    await page.click('button:has-text("Continue")');
    await page.waitForSelector('h1:has-text("You were logged out")');

    const logIns: string[] = [];
    other.on('request', (request): unknown => request.url().includes('/.oidc/auth?') && logIns.push(request.url()));
    await other.reload();
    await questionShown(other);
    expect(logIns).toEqual([]);
    await page.unroute('**/v1/contracts/usual/data');
    await page.click('main button:has-text("Log in")');
    await page.waitForSelector('h1:has-text("Check before you share")');
  });

  it('log out at the question, and show nothing of it when the browser goes back or to another tab.', async():
  Promise<void> => {
    await citizens.logIn(page, question());
    await page.waitForSelector('.value');
    const other = await page.context().newPage();
    await other.goto(question());
    await other.waitForSelector('.value');
    // The browser may show a page as it was left, which Playwright switches off.
    const goBack = 'dispatchEvent(new PageTransitionEvent("pageshow", { persisted: true }))';
    // As does returning to its tab, also switched off.
    const focus = 'dispatchEvent(new Event("focus"))';
    const third = await page.context().newPage();
    await third.goto(question());
    await third.waitForSelector('.value');
    await other.check('#value-0');
    await other.evaluate(goBack);
    await other.evaluate(focus);
    // The page reads the log-in from the same store, before this.
    await other.evaluate(`new Promise((done) => {
      indexedDB.open('citizen-pages').onsuccess = ({ target: { result } }) => {
        result.transaction('session').objectStore('session').get('kept').onsuccess = () => setTimeout(done);
      };
    })`);
    await expect(other.isChecked('#value-0')).resolves.toBe(true);

    const logIns: string[] = [];
    page.on('request', (request): unknown => request.url().includes('/.oidc/auth?') && logIns.push(request.url()));
    await page.click('text=Log out');
    await page.click('[name=logout]');
    await page.waitForSelector('h1:has-text("You are logged out")');
    expect(logIns).toEqual([]);
    await other.evaluate(goBack);
    await other.waitForURL(`${citizens.world.base}.account/login/**`);
    await third.evaluate(focus);
    await third.waitForURL(`${citizens.world.base}.account/login/**`);
  });

  it('do not say that nothing was shared when the last page cannot be shown.', async(): Promise<void> => {
    await citizens.logIn(page, question());
    await choose(0);
    await page.route('**/assets/Shared-*.js', async(route): Promise<void> => route.abort());
    await page.click('button:has-text("Share with")');
    await page.waitForSelector('h1:has-text("Something went wrong on our side")');
    await expect(page.textContent('main')).resolves.toContain('We don’t know yet whether it worked.');
    await expect(page.textContent('main')).resolves.not.toContain('Nothing was');
    await expect(violations(page)).resolves.toEqual([]);
    await page.unroute('**/assets/Shared-*.js');
    await page.click('button:has-text("Try again")');
    await page.waitForSelector('h1:has-text("You shared your diploma")');

    // Nor do they show what was shared to anybody else who uses this tab later.
    await reloadLoggedOut(page);
    await page.waitForSelector('h1:has-text("You shared your diploma")');
    const webId = JSON.stringify(citizens.citizen.webId);
    await page.evaluate(`sessionStorage.shared = sessionStorage.shared.replace(${webId}, 'https://other.example/#me')`);
    await page.reload();
    await questionShown(page);
  });

  it('say that loading takes longer, and which source they are waiting for.', async(): Promise<void> => {
    await citizens.logIn(page, question());
    await page.waitForSelector('h1.sentence');
    const now = Date.now();
    await page.clock.install({ time: now - 60_000 });
    await page.clock.pauseAt(now);
    const held = await holdRequests(page, '**/v1/contracts/usual/data');
    await page.reload();
    await held.asked;
    // Nothing at first, so that a page that is there soon does not flicker.
    await page.clock.runFor(399);
    await expect(page.locator('main h1').count()).resolves.toBe(0);
    await page.clock.runFor(1);
    await page.waitForSelector('h1:has-text("Loading")');
    await expect(page.textContent('[role=status]')).resolves.toBe('Loading…');
    await page.clock.runFor(2599);
    await expect(page.locator('main .big').count()).resolves.toBe(0);
    await page.clock.runFor(1);
    await page.waitForSelector('main .big:has-text("We are asking Diploma <i>Register</i> for your data")');
    // The tool that finds violations needs time to pass.
    await page.clock.resume();
    await expect(violations(page)).resolves.toEqual([]);
    held.release();
    await page.waitForSelector('h1.sentence');
    await expect(page.evaluate('document.activeElement.tagName')).resolves.toBe('H1');
    // So that the next wait is announced.
    await expect(page.textContent('[role=status]')).resolves.toBe('');
  });

  it('list values with the note that they are shared already, so that they do not move then.', async():
  Promise<void> => {
    await citizens.world.shareAll(citizens.citizen);
    await citizens.logIn(page, question());
    await questionShown(page);
    const now = Date.now();
    await page.clock.install({ time: now - 60_000 });
    await page.clock.pauseAt(now);
    async function ask(): Promise<() => void> {
      const { asked, release } = await holdRequests(page, '**/v1/access-grants?**');
      await page.reload();
      await asked;
      await page.waitForSelector('h1.sentence');
      await page.clock.runFor(999);
      await page.waitForSelector('.row:has-text("Until when")');
      await expect(page.locator('.value').count()).resolves.toBe(0);
      return release;
    }
    const note = '.value:has-text("You already share this with")';
    const release = await ask();
    release();
    await page.waitForSelector(note);
    await page.unroute('**/v1/access-grants?**');
    // They wait for a second at most.
    const releaseLate = await ask();
    await page.clock.runFor(1);
    await page.waitForSelector('.value');
    await expect(page.locator(note).count()).resolves.toBe(0);
    releaseLate();
    await page.waitForSelector(note);
  });

  it('work without a mouse.', async(): Promise<void> => {
    const before = await countGrants();
    await page.setViewportSize({ width: 320, height: 256 });
    await page.emulateMedia({ reducedMotion: 'reduce' });
    await citizens.logIn(page, question());
    await questionShown(page);
    await page.focus('.skip');
    expect((await page.locator('.skip').boundingBox())!.x).toBe(0);
    await page.keyboard.press('Enter');
    await page.waitForSelector('main:focus');
    await expect(tabTo(page, '.value input')).resolves.toBe(true);
    await page.keyboard.press('Space');
    await expect(tabTo(page, 'form .acts button')).resolves.toBe(true);
    await page.keyboard.press('Enter');
    await page.waitForSelector('h1:has-text("Check before you share")');
    await expect(page.evaluate('document.documentElement.scrollWidth')).resolves.toBeLessThanOrEqual(320);
    await expect(tabTo(page, '.acts button')).resolves.toBe(true);
    await page.keyboard.press('Enter');
    await page.waitForSelector('h1:has-text("You shared your diploma")');
    expect(await countGrants() - before).toBeLessThanOrEqual(1);
    await expect(page.evaluate('document.getAnimations().length')).resolves.toBe(0);
  });

  describe('from a data user that has no contract', (): void => {
    it('close after the deadline.', async(): Promise<void> => {
      const { podUrl, webId } = citizens.citizen;
      const url = await ask(citizens, webId, `${podUrl}late/`, { expirationDate: new Date(Date.now() + 1500) });
      await citizens.logIn(page, url);
      await until(async(): Promise<boolean> => {
        await page.goto(url);
        await page.waitForSelector('h1:has-text("asks to read"), h1:has-text("This question is closed")');
        return (await page.textContent('h1'))!.includes('closed');
      });
      await expect(page.locator('form').count()).resolves.toBe(0);
    });

    it('keep what is chosen, without the names of files.', async(): Promise<void> => {
      const { podUrl, webId } = citizens.citizen;
      await citizens.logIn(page, await ask(citizens, webId, '', {
        access: { read: true, write: true },
        resources: [ `${podUrl}first-plan.txt`, `${podUrl}second-plan.txt` ],
      }));
      await page.check('label:has-text("second-plan.txt") input');
      await page.check('label:has-text("Change") input');
      await page.reload();
      await questionShown(page);
      await expect(page.locator('label:has(:checked)').allTextContents()).resolves
        .toEqual([ expect.stringContaining('second-plan.txt'), expect.stringContaining('Change') ]);
      await expect(page.evaluate('sessionStorage.choice')).resolves.not.toContain('plan');
      await page.click('button:has-text("Allow nothing")');
      await page.waitForSelector('h1:has-text("gets no access")');
      await expect(page.evaluate('sessionStorage.choice')).resolves.toBeUndefined();
    });

    it('show addresses that look like no other, and are not turned around.', async(): Promise<void> => {
      // The second letter is Cyrillic.
      const requestor = 'https://b\u0430nk.example/\u202Eprofile/card#me';
      await page.route('**/.access/vc/*', async(route): Promise<void> => {
        const response = await route.fetch();
        const request = await response.json() as { credentialSubject: { id: string }};
        request.credentialSubject.id = requestor;
        await route.fulfill({ response, json: request });
      });
      await page.route('**/.access/query?**', async(route): Promise<void> =>
        route.fulfill({ json: { items: [{ id: new URL(page.url()).searchParams.get('requestVcUrl') }]}}));
      const { podUrl, webId } = citizens.citizen;
      await citizens.logIn(page, await ask(citizens, webId, '', {
        resources: [ 'https://elsewhere.example/\u202Ea', `${podUrl}plan.txt` ],
        purpose: [ 'https://purposes.example/\u202Ea' ],
      }));
      await questionShown(page);
      const shown = 'https://xn--bnk-6cd.example/%E2%80%AEprofile/card#me';
      await expect(page.textContent('h1')).resolves.toContain(`${shown} asks to read https://elsewhere.example/%E2%80%AEa`);
      await expect(page.locator('main code').allTextContents()).resolves
        .toEqual([ shown, 'https://purposes.example/%E2%80%AEa' ]);
      await expect(page.textContent('main')).resolves.not.toMatch(/[\u0430\u202E]/u);
    });

    it('show nothing of a question to another citizen.', async(): Promise<void> => {
      const other = await citizens.world.citizen();
      await citizens.logIn(page, await ask(citizens, other.webId, `${other.podUrl}secret-plans/`));
      await page.waitForSelector('h1:has-text("We don’t know this question")');
      await expect(page.textContent('body')).resolves.not.toContain('secret-plans');
      await expect(faultsOf(page, 'request-none')).resolves.toEqual([]);
    });
  });
});

/** Returns the address to answer a request that the data user makes with a public library. */
async function ask(
  { consumer, pages, world }: CitizenWorld,
  resourceOwner: string,
  resource: string,
  terms: object = {},
): Promise<string> {
  const { fetch: fetchAs } = await logInStockClient(world.base, consumer.credentials);
  const request = await issueAccessRequest(
    { access: { read: true }, resources: [ resource ], resourceOwner, ...terms },
    { fetch: fetchAs, accessEndpoint: `${world.base}.access/`, returnLegacyJsonld: false },
  );
  return `${pages}requests?${new URLSearchParams({ requestVcUrl: request.id })}`;
}

/**
 * Moves by keyboard to the element of a selector.
 *
 * @returns True when it is visible, with a focus ring.
 *
 * @throws Error when it cannot be reached.
 */
async function tabTo(page: Page, selector: string): Promise<boolean> {
  for (let steps = 0; steps < 40; steps += 1) {
    await page.keyboard.press('Tab');
    if (await page.evaluate(`document.activeElement.matches(${JSON.stringify(selector)})`)) {
      return page.evaluate(`(({ activeElement: { parentElement }, activeElement }) => {
        const { bottom, top } = activeElement.getBoundingClientRect();
        const outlines = [ activeElement, parentElement ].map((each) => getComputedStyle(each).outlineStyle);
        return top < innerHeight && bottom > 0 && outlines.some((each) => each !== 'none');
      })(document)`);
    }
  }
  throw new Error(`No way to ${selector} by the keyboard`);
}
