import { existsSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Browser, BrowserContextOptions, Page } from 'playwright-core';
import { chromium } from 'playwright-core';

/** Starts Debian's Chromium. */
export async function startBrowser(): Promise<Browser> {
  const executablePath = process.env.CHROMIUM ?? '/usr/bin/chromium';
  if (!existsSync(executablePath)) {
    throw new Error(`No Chromium at ${executablePath}: install Debian's, or name another in CHROMIUM`);
  }
  return chromium.launch({ executablePath, args: [ '--no-sandbox' ]});
}

/** A page of somebody's own browser, and what happened on it. */
export interface Watched {
  page: Page;
  /** Scripts that ran though they should not: every payload says `alert`. */
  ran: string[];
  /** Complaints of the browser: policies that were broken, errors of scripts. */
  complaints: string[];
}

/** Opens a page in a browser that knows of no log-in. */
export async function watch(browser: Browser, options: BrowserContextOptions = {}): Promise<Watched> {
  const context = await browser.newContext(options);
  const page = await context.newPage();
  const watched: Watched = { page, ran: [], complaints: []};
  page.on('dialog', (dialog): void => {
    if (dialog.type() === 'alert') {
      watched.ran.push(dialog.message());
    }
    dialog.accept().catch((): void => { /* The page is gone. */ });
  });
  page.on('pageerror', (error): unknown => watched.complaints.push(error.message));
  page.on('console', (message): void => {
    if (/content security policy|trusted|refused to/iu.test(message.text())) {
      watched.complaints.push(message.text());
    }
  });
  return watched;
}

/** A small server of an app: serves its document, and is where people are sent back to. */
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
