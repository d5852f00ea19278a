import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Browser, BrowserContextOptions, Page } from 'playwright-core';
import { chromium, firefox } from 'playwright-core';

/** True when `BROWSER` is `firefox`. */
export const isFirefox = process.env.BROWSER === 'firefox';

/** Maximum time for a step in a browser, on a slow machine that is busy with others. */
export const patienceMilliseconds = 120_000;

/** Firefox also requests this icon when a page is left before its own has arrived, against the policy of the page. */
const foreignIcon = /\(img-src\) at \S+\/favicon\.ico /u;

/** Starts Debian's Chromium, or its Firefox. */
export async function startBrowser(): Promise<Browser> {
  return isFirefox ?
      startFirefox(found(process.env.FIREFOX ?? '/usr/bin/firefox-esr')) :
      chromium.launch({
        executablePath: found(process.env.CHROMIUM ?? '/usr/bin/chromium'),
        args: [ '--no-sandbox' ],
        timeout: patienceMilliseconds,
      });
}

function found(executablePath: string): string {
  if (!existsSync(executablePath)) {
    throw new Error(`No browser at ${executablePath}: install Debian's, or name another in CHROMIUM or FIREFOX`);
  }
  return executablePath;
}

/** The part of a session of WebDriver BiDi that every command passes. */
interface BidiSession {
  send: (method: string, parameters: object) => Promise<unknown>;
  dispatchMessage: (message: BidiMessage) => void;
}

interface BidiMessage {
  method?: string;
  params?: { download?: string; navigation?: string | null; url?: string };
}

/**
 * Starts an ordinary Firefox, through WebDriver BiDi.
 *
 * It does not support the command for colour schemes and the like, which Playwright always sends: that one is
 * dropped, so `emulateMedia` does nothing here. Its events of a download from a page's own memory have no id, without
 * which Playwright ignores them: they get their address as id.
 */
async function startFirefox(executablePath: string): Promise<Browser> {
  const browser = await firefox.launch({
    channel: 'moz-firefox',
    executablePath,
    timeout: patienceMilliseconds,
    firefoxUserPrefs: {
      // The dark theme: Chromium shows both.
      'layout.css.prefers-color-scheme.content-override': 0,
      // A page that one goes back to is loaded: Playwright waits for that.
      'browser.sessionhistory.max_total_viewers': 0,
    },
  });
  const { _connection: connection } = browser as unknown as {
    _connection: { toImpl: (of: Browser) => { _browserSession: BidiSession }};
  };
  const sessions = Object.getPrototypeOf(connection.toImpl(browser)._browserSession) as BidiSession;
  const { dispatchMessage, send } = sessions;
  sessions.send = async function(this: BidiSession, method, parameters): Promise<unknown> {
    return method === 'emulation.setMediaFeaturesOverride' ? {} : send.call(this, method, parameters);
  };
  sessions.dispatchMessage = function(this: BidiSession, message): void {
    const { method, params } = message;
    if (method?.startsWith('browsingContext.download') && params?.navigation === null) {
      params.download ??= params.url;
    }
    dispatchMessage.call(this, message);
  };
  return browser;
}

/** A page in a separate browser, and what happened on it. */
export interface Watched {
  page: Page;
  /** Scripts that ran though they should not: every payload calls `alert`. */
  ran: string[];
  /** Errors in the browser's console: violated policies, errors of scripts. */
  complaints: string[];
}

/** Opens a page in a browser without a log-in. */
export async function watch(browser: Browser, options: BrowserContextOptions = {}): Promise<Watched> {
  const context = await browser.newContext(options);
  context.setDefaultTimeout(patienceMilliseconds);
  const page = await context.newPage();
  const watched: Watched = { page, ran: [], complaints: []};
  page.on('dialog', (dialog): void => {
    if (dialog.type() === 'alert') {
      watched.ran.push(dialog.message());
    }
    dialog.accept().catch((): void => { /* The page is gone. */ });
  });
  page.on('pageerror', ({ message }): void => {
    if (!(isFirefox && foreignIcon.test(message))) {
      watched.complaints.push(message);
    }
  });
  page.on('console', (message): void => {
    if (/content security policy|trusted|refused to/iu.test(message.text())) {
      watched.complaints.push(message.text());
    }
  });
  return watched;
}

/** Returns the download that a page offers on a click. */
export async function downloaded(page: Page, selector: string): Promise<{ name: string; bytes: Buffer }> {
  const [ download ] = await Promise.all([ page.waitForEvent('download'), page.click(selector) ]);
  return { name: download.suggestedFilename(), bytes: await readFile(await download.path()) };
}

/**
 * Checks a page as on paper, in other colours and the like. Firefox cannot be told to show it so: nothing is checked
 * there.
 */
export async function inMedia(
  page: Page,
  media: NonNullable<Parameters<Page['emulateMedia']>[0]>,
  check: () => Promise<void>,
): Promise<void> {
  if (!isFirefox) {
    await page.emulateMedia(media);
    await check();
    await page.emulateMedia({ media: null, colorScheme: null, forcedColors: null });
  }
}

/** Requests of a page that wait. */
export interface HeldRequests {
  /** Resolves when there is one. */
  asked: Promise<void>;
  /** Lets them, and all later ones, go on. */
  release: () => void;
  /** Returns how many there were. */
  count: () => number;
}

/** Holds the requests of a page to URLs that match a pattern until they are released. */
export async function holdRequests(page: Page, url: string): Promise<HeldRequests> {
  let count = 0;
  let arrive!: () => void;
  let release!: () => void;
  const asked = new Promise<void>((resolve): void => {
    arrive = resolve;
  });
  const released = new Promise<void>((resolve): void => {
    release = resolve;
  });
  await page.route(url, async(route): Promise<void> => {
    count += 1;
    arrive();
    await released;
    await route.continue();
  });
  return { asked, release, count: (): number => count };
}

/** A small server of an app: serves its document, and is the target of its redirects. */
export interface AppServer {
  /** With a trailing slash. */
  base: string;
  /** Its documents by path, as JSON-LD. */
  documents: Map<string, unknown>;
  stop: () => Promise<void>;
}

/** Starts an app's server on loopback. */
export async function startApp(): Promise<AppServer> {
  const documents = new Map<string, unknown>();
  const server = createServer((request, response): void => {
    const document = documents.get(request.url!.split('?', 1)[0]);
    response.setHeader('Content-Type', document === undefined ? 'text/html' : 'application/ld+json');
    response.end(document === undefined ? '<!doctype html><h1>Back at the app</h1>' : JSON.stringify(document));
  });
  await new Promise<void>((resolve): unknown => server.listen(0, 'localhost', resolve));
  return {
    base: `http://localhost:${(server.address() as AddressInfo).port}/`,
    documents,
    async stop(): Promise<void> {
      server.closeAllConnections();
      await new Promise((resolve): unknown => server.close(resolve));
    },
  };
}
