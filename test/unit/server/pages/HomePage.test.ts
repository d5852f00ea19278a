import { writeFileSync } from 'node:fs';
import type { Server } from 'node:http';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { ServicePages } from '../../../../src/server/pages/ServicePages';
import { HomePage } from '../../../../src/server/pages/HomePage';
import { removeFolder, temporaryFolder } from '../../../support/world';

const browser = 'text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8';
const pages = new ServicePages({ baseUrl: 'https://pods.example/', serviceName: 'Vault & <Co>' });

describe('The page at /', (): void => {
  let folder: string;
  let server: Server;
  let page: HomePage;
  let base: string;

  beforeAll(async(): Promise<void> => {
    folder = await temporaryFolder();
    server = createServer((request, response): void => {
      response.setHeader('x-owned', String(page.owns(request)));
      if (page.owns(request)) {
        page.handle(request, response).catch((): unknown => response.destroy());
      } else {
        response.end();
      }
    });
    await new Promise<void>((resolve): unknown => server.listen(0, '127.0.0.1', resolve));
    base = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  });

  beforeEach((): void => {
    page = new HomePage({ pages, file: '', shown: true });
  });

  afterAll(async(): Promise<void> => {
    server.closeAllConnections();
    await new Promise((resolve): unknown => server.close(resolve));
    await removeFolder(folder);
  });

  async function get(path: string, headers: Record<string, string> = {}, method = 'GET'): Promise<Response> {
    return fetch(base + path, { method, headers: { accept: browser, ...headers }});
  }

  it.each([
    [ 'nl-BE,nl;q=0.9,en;q=0.8', 'nl', 'U beslist' ],
    [ 'fr', 'fr', 'Vous décidez' ],
    [ 'de-AT', 'de', 'Sie entscheiden' ],
    [ 'pt', 'en', 'You decide' ],
  ])('is in the preferred language %s: %s.', async(accepted, language, words): Promise<void> => {
    const response = await get('/', { 'accept-language': accepted });
    expect(response.headers.get('content-language')).toBe(language);
    const html = await response.text();
    expect(html).toContain(`<html lang="${language}">`);
    expect(html).toContain(words);
    expect(html).toContain('Vault &amp; &lt;Co&gt;');
  });

  it('has links to other languages.', async(): Promise<void> => {
    const response = await get('/?language=fr', { 'accept-language': 'nl' });
    await expect(response.text()).resolves.toContain('<html lang="fr">');
    const chosen = { 'accept-language': 'nl', cookie: 'css-language=de' };
    await expect((await get('/', chosen)).text()).resolves.toContain('<html lang="de">');
    await expect((await get('/?language=fr', chosen)).text()).resolves.toContain('<html lang="fr">');
    const html = await (await get('/')).text();
    expect([ ...html.matchAll(/href="(\/\?language=\w+)"/gu) ].map(([ , link ]): string => link))
      .toEqual([ '/?language=nl', '/?language=fr', '/?language=de', '/?language=en' ]);
  });

  it('links to log-in and interface, without scripts or foreign content.', async(): Promise<void> => {
    const response = await get('/');
    const html = await response.text();
    expect(html).toContain('href="/.account/login/"');
    expect(html).toContain('href="/v1/docs"');
    expect(html).not.toMatch(/<script|<noscript|\son\w+=|style="|(?:src|href)="http(?!s:\/\/pods\.example\/")/u);
    expect(response.headers.get('content-security-policy')).toMatch(/^default-src 'none'; /u);
  });

  it('has only headers for HEAD.', async(): Promise<void> => {
    const response = await get('/', {}, 'HEAD');
    expect(Number(response.headers.get('content-length'))).toBeGreaterThan(1000);
    await expect(response.text()).resolves.toBe('');
  });

  it.each([
    [ '/', 'text/turtle', 'GET' ],
    [ '/', '*/*', 'GET' ],
    [ '/', 'text/turtle, text/html;q=0.5', 'GET' ],
    [ '/', browser, 'POST' ],
    [ '/', browser, 'PUT' ],
    [ '/other', browser, 'GET' ],
    [ '/?language=fra', browser, 'GET' ],
    [ '/?language=fr&x=1', browser, 'GET' ],
    [ '/?x', browser, 'GET' ],
  ])('leaves %s for %s by %s to the server.', async(path, accept, method): Promise<void> => {
    const response = await get(path, { accept }, method);
    expect(response.headers.get('x-owned')).toBe('false');
  });

  it('is left to the server if no configuration enables it.', async(): Promise<void> => {
    page = new HomePage({ pages, file: '' });
    const response = await get('/');
    expect(response.headers.get('x-owned')).toBe('false');
  });

  it('can be replaced by a file, in which no script runs.', async(): Promise<void> => {
    const file = join(folder, 'home.html');
    writeFileSync(file, '<!doctype html><title>Ours</title><script>alert(1)</script>');
    page = new HomePage({ pages, file });
    const response = await get('/', { 'accept-language': 'fr' });
    await expect(response.text()).resolves.toContain('<title>Ours</title>');
    expect(response.headers.get('content-security-policy')).toContain(`default-src 'none'`);
    expect(response.headers.get('content-security-policy')).not.toContain('script-src');
  });

  it('stops the start if that file is missing, naming the setting.', (): void => {
    expect((): unknown => new HomePage({ pages, file: join(folder, 'none.html') }))
      .toThrow(/^--homePage: .*none\.html cannot be read \(ENOENT\)$/u);
  });
});
