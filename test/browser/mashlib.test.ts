import { execFile } from 'node:child_process';
import { createServer } from 'node:http';
import { readFile } from 'node:fs/promises';
import { extname, join } from 'node:path';
import { promisify } from 'node:util';
import type { Browser, Page, Route } from 'playwright-core';
import { listenLocally } from '../../demo/lib/listenLocally';
import type { AccountHolder, TestServer } from '../support/world';
import { accountWithPod, freePort, removeFolder, startServer, temporaryFolder } from '../support/world';
import { patienceMilliseconds, startBrowser } from './browser';

const run = promisify(execFile);

/**
 * The newest published version. Not a dependency: installing it brings hundreds of packages, and its bundle
 * needs none of them.
 */
const mashlib = {
  name: 'mashlib@2.3.3',
  integrity: 'sha512-KvsXrY+5dqUCQUIz989pkogMTojCwj1NX/f991PhcVpV+UTWQutd/oqSTMEO86V/sDfkJQtZZJ6p3nMjQBbVSw==',
};

const mediaTypes: Record<string, string> = {
  '.css': 'text/css',
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
};

/** Mashlib, the pages of SolidOS, unmodified, on its own origin. */
describe('Mashlib', (): void => {
  let folder: string;
  let site: Awaited<ReturnType<typeof listenLocally>>;
  let server: TestServer;
  let browser: Browser;
  let ann: AccountHolder;
  let page: Page;

  beforeAll(async(): Promise<void> => {
    folder = await temporaryFolder();
    [ server, browser ] = await Promise.all([ startServer(), startBrowser(), downloadMashlib(folder) ]);
    site = await serveFolder(join(folder, 'package/dist'));
    ann = await accountWithPod(server.base, 'ann');
    await ann.client.request('PUT', `${ann.podUrl}notes/list.ttl`, {
      headers: { 'content-type': 'text/turtle' },
      body: '<#list> <http://www.w3.org/2000/01/rdf-schema#label> "Buy a bicycle".',
    });
    const context = await browser.newContext();
    context.setDefaultTimeout(patienceMilliseconds);
    // It works without what it loads from other hosts: icons.
    await context.route(({ hostname }): boolean => hostname !== 'localhost', abort);
    page = await context.newPage();
  });

  afterAll(async(): Promise<void> => {
    await browser?.close();
    await site?.close();
    await server?.stop();
    await removeFolder(folder);
  });

  async function view(uri: string): Promise<void> {
    await page.fill('#uriField', uri);
    await page.click('#goButton');
  }

  it('logs in at the server, browses a pod, opens a document and logs out.', async(): Promise<void> => {
    await page.goto(`${site.base}browse.html?uri=${encodeURIComponent(`${ann.podUrl}profile/card`)}`);
    await page.click('#loginButtonArea [value="Log in"]');
    await page.fill('[placeholder="https://example.com"]', server.base);
    await page.click('[placeholder="https://example.com"] + button');
    await page.waitForURL(`${server.base}.account/login/password/`);
    await page.fill('[name=email]', 'ann@example.org');
    await page.fill('[name=password]', 'password of ann');
    await page.click('[type=submit]:enabled');
    await page.waitForURL(`${server.base}.account/oidc/consent/`);
    await page.click('#authorize:enabled');
    await page.waitForURL(`${site.base}**`);
    await page.waitForSelector(`#webId:has-text("${ann.webId}")`);

    await view(ann.podUrl);
    await page.waitForSelector(`.folderPaneMainTable [about="<${ann.podUrl}notes/>"]`);
    await view(`${ann.podUrl}notes/`);
    await page.waitForSelector(`.folderPaneMainTable [about="<${ann.podUrl}notes/list.ttl>"]`);
    await view(`${ann.podUrl}notes/list.ttl`);
    await page.waitForSelector('#OutlineView :text("Buy a bicycle")');

    await page.click('#loginButtonArea [value=Logout]');
    await page.waitForSelector('#webId:has-text("public user")');
    await page.reload();
    await view(`${ann.podUrl}notes/list.ttl`);
    await page.waitForSelector('#OutlineView :text("not publicly readable")');
  });
});

async function abort(route: Route): Promise<void> {
  return route.abort();
}

/** Downloads the package from the registry into the folder. */
async function downloadMashlib(folder: string): Promise<void> {
  const { stdout } = await run('npm', [ 'pack', mashlib.name, '--json', '--pack-destination', folder ]);
  const [{ filename, integrity }] = JSON.parse(stdout) as { filename: string; integrity: string }[];
  expect(integrity).toBe(mashlib.integrity);
  await run('tar', [ '-xzf', join(folder, filename), '-C', folder ]);
}

async function serveFolder(folder: string): ReturnType<typeof listenLocally> {
  const server = createServer((request, response): void => {
    const { pathname } = new URL(request.url!, 'http://localhost');
    readFile(join(folder, pathname)).then(
      (body): unknown => response.setHeader('content-type', mediaTypes[extname(pathname)] ?? 'image/png').end(body),
      (): unknown => response.writeHead(404).end(),
    );
  });
  return listenLocally(server, await freePort());
}
