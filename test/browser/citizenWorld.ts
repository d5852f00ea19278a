import { copyFile, mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import axe from 'axe-core';
import type { Browser, Page } from 'playwright-core';
import type { TestCitizen } from '../support/callers';
import { clientOf } from '../support/callers';
import { SharingWorld } from '../support/sharingWorld';
import type { AccountHolder } from '../support/world';
import { accountWithPod, removeFolder, temporaryFolder } from '../support/world';
import type { AppServer, Watched } from './browser';
import { isFirefox, startApp, startBrowser, watch } from './browser';
import { layoutFaults } from './layout';

/** Log-in of the citizen. */
export const login = { email: 'noor@example.org', password: 'password of noor' };

/** In the theme of the demo, the boxes of the pages are on record. */
const usualFlags: Record<string, string> = { theme: join(__dirname, '../../demo/data/theme') };

/** Folder for screenshots of the pages; none are made without it. */
const pictures = process.env.PICTURES;

/** Languages, widths and themes in which a page is checked; Firefox is started in the dark theme. */
const looks = {
  languages: isFirefox ? [ 'nl' ] : [ 'nl', 'fr', 'de', 'en' ],
  views: isFirefox ?
      [[ 320, 'dark' ]] as const :
      [[ 320, 'light' ], [ 1100, 'dark' ], [ 320, 'dark' ], [ 1100, 'light' ]] as const,
};

/** A server with the citizen's pages, a data user, a citizen with an account, and a browser. */
export class CitizenWorld {
  private watched?: Watched;

  private constructor(
    public readonly world: SharingWorld,
    private readonly browser: Browser,
    public readonly bank: AppServer,
    public readonly consumer: AccountHolder,
    public readonly citizen: TestCitizen,
    private readonly dataUsers: string,
  ) {}

  /**
   * Starts it.
   *
   * @param contracts - Members that differ from those of an ordinary contract on diplomas, by contract id.
   * @param flags - Further flags of the server; the theme of the demo by default.
   * @param loggingLevel - Logging level of the server.
   */
  public static async start(
    contracts: Record<string, object>,
    flags = usualFlags,
    loggingLevel?: string,
  ): Promise<CitizenWorld> {
    const [ bank, dataUsers ] = await Promise.all([ startApp(), temporaryFolder() ]);
    await describeBank(dataUsers, bank);
    const [ world, browser ] = await Promise.all([
      SharingWorld.start(contracts, loggingLevel, { dataUsers, ...flags }),
      startBrowser(),
    ]);
    const consumer = await world.dataUser();
    return new CitizenWorld(world, browser, bank, consumer, await makeCitizen(world), dataUsers);
  }

  /** URL of the pages, with a trailing slash. */
  public get pages(): string {
    return `${this.world.base}.app/`;
  }

  /** Opens a page for a test, in a browser of its own. */
  public async open(): Promise<Page> {
    this.watched = await watch(this.browser, { locale: 'en-GB' });
    return this.watched.page;
  }

  /**
   * Closes the page of a test.
   *
   * @throws Error when a forbidden script ran there, or a policy was violated.
   */
  public async close(): Promise<void> {
    const { complaints, page, ran } = this.watched!;
    await page.context().close();
    if (complaints.length > 0 || ran.length > 0) {
      throw new Error([ ...complaints, ...ran ].join('\n'));
    }
  }

  /**
   * Logs in on the way to a page, by the button of the first page. Pages on another host need consent to act.
   *
   * @param page - Page of a browser without a log-in.
   * @param url - URL of one of the pages, on any host.
   */
  public async logIn(page: Page, url: string): Promise<void> {
    await page.goto(url);
    if (url === this.pages) {
      await page.click('button:has-text("Log in")');
    }
    await page.waitForURL(`${this.world.base}.account/login/password/`);
    await page.fill('[name=email]', login.email);
    await page.fill('[name=password]', login.password);
    await page.click('[type=submit]:enabled');
    if (!url.startsWith(this.world.base)) {
      await page.click('#authorize:enabled');
    }
    await page.waitForURL(`${new URL('.', url).href}**`);
  }

  public async stop(): Promise<void> {
    await this.browser.close();
    await this.world.stop();
    await this.world.remove();
    await this.bank.stop();
    await removeFolder(this.dataUsers);
  }
}

/**
 * Presses a button while the browser reports that it is offline: it must look disabled, and say why nothing happens.
 *
 * @param page - The page.
 * @param button - Selector of the button.
 */
export async function pressOffline(page: Page, button: string): Promise<void> {
  await page.evaluate('dispatchEvent(new Event("offline"))');
  await page.press(`${button}[aria-disabled=true]`, 'Enter');
  await page.waitForSelector('[role=status]:has-text("Sharing and stopping work again when you have internet.")');
  await page.evaluate('dispatchEvent(new Event("online"))');
  await page.waitForSelector('[role=status]:has-text("You are online again.")');
}

/** Waits for the whole page of a question: its last parts are drawn after its sentence. */
export async function questionShown(page: Page, sentence = ''): Promise<void> {
  await page.waitForSelector(`h1.sentence:has-text("${sentence}")`);
  await page.waitForSelector('.row .acts');
}

/** Returns the violations of WCAG 2.2 AA. */
export async function violations(page: Page): Promise<string[]> {
  if (await page.evaluate<boolean>('window.axe === undefined')) {
    await page.evaluate(`(() => { ${axe.source} })()`);
  }
  const found = await page.evaluate<axe.AxeResults>(`axe.run(document, {
    runOnly: [ 'wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice' ] })`);
  return found.violations.map(({ id, nodes }): string => `${id}: ${nodes.map(({ html }): string => html).join(' ')}`);
}

/**
 * Returns the faults of a page in each language and theme, narrow and wide: violations of WCAG, anything wider than
 * the window, and misplaced parts. Makes a screenshot of each if `PICTURES` names a folder.
 *
 * @param page - The page in the state to check.
 * @param name - Name of the page in the names of the screenshots.
 */
export async function faultsOf(page: Page, name: string): Promise<string[]> {
  const faults: string[] = [];
  const { language } = await page.evaluate<{ language: string }>('({ language: document.documentElement.lang })');
  for (const [ at, next ] of looks.languages.entries()) {
    await page.click(`.tools [hreflang=${next}]`);
    await page.waitForSelector(`html[lang=${next}]`);
    // Colours are the same in every language.
    const views = at === 0 || pictures !== undefined ?
      looks.views :
        looks.views.filter(([ , theme ]): boolean => theme === 'light');
    for (const [ width, theme ] of views) {
      await page.setViewportSize({ width, height: 800 });
      await page.emulateMedia({ colorScheme: theme });
      const wide = await page.evaluate<number>('document.documentElement.scrollWidth - innerWidth');
      faults.push(...wide > 0 ? [ `${next} ${width}: ${wide} px too wide` ] : []);
      // The first language at each width once; boxes are recorded as Chromium lays them out.
      if (at === 0 && (width === 320) === (theme === 'light') && !isFirefox) {
        const found = await layoutFaults(page, `${name}-${width}`);
        faults.push(...found.map((each): string => `${next} ${width}: ${each}`));
      }
      // A wide layout breaks no rule in one language alone.
      if (at === 0 || width === 320) {
        faults.push(...(await violations(page)).map((each): string => `${next} ${width} ${theme}: ${each}`));
      }
      if (pictures !== undefined) {
        await mkdir(pictures, { recursive: true });
        await page.screenshot({ path: join(pictures, `${name}-${next}-${width}-${theme}.png`), fullPage: true });
      }
    }
  }
  await page.click(`.tools [hreflang=${language}]`);
  await page.waitForSelector(`html[lang=${language}]`);
  await page.emulateMedia({ colorScheme: null });
  return faults;
}

async function describeBank(dataUsers: string, { base }: AppServer): Promise<void> {
  await copyFile(join(__dirname, '../../demo/data/data-users/consumer.svg'), join(dataUsers, 'bank.svg'));
  await writeFile(join(dataUsers, 'bank.ttl'), `@prefix core: </v1/ns/core#> .
    @prefix oidc: <http://www.w3.org/ns/solid/oidc#> .
    @prefix skos: <http://www.w3.org/2004/02/skos/core#> .
    </v1/data-users/bank> core:webId </consumer/profile/card#me> ;
      skos:prefLabel "Meerling Bank"@nl, "Meerling Bank"@fr, "Meerling Bank"@de, "Meerling <b>Bank</b>\u202E"@en ;
      core:agreement "Het aan niemand te geven."@nl, "De ne le donner à personne."@fr,
        "Es niemandem zu geben."@de, "To give it to <i>nobody</i>."@en ;
      oidc:contacts "privacy@bank.example" ; oidc:policy_uri <https://bank.example/privacy> ;
      oidc:redirect_uris <${base}shared> .`);
}

/** Creates a citizen who has an account with a password here, and is recorded with its WebID. */
async function makeCitizen(world: SharingWorld): Promise<TestCitizen> {
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
  return citizen;
}
