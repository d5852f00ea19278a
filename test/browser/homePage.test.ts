import type { Browser } from 'playwright-core';
import type { TestServer } from '../support/world';
import { startServer } from '../support/world';
import { startBrowser, watch } from './browser';
import { violations } from './citizenWorld';

const languages = [ 'nl', 'fr', 'de', 'en' ];
const schemes = [ 'light', 'dark' ] as const;
const kinds = languages.flatMap((language): [string, typeof schemes[number]][] =>
  schemes.map((scheme): [string, typeof schemes[number]] => [ language, scheme ]));

/** Folder for screenshots to look at. */
const { SHOTS } = process.env;

describe('The page at / in a browser', (): void => {
  let browser: Browser;
  let server: TestServer;

  beforeAll(async(): Promise<void> => {
    [ browser, server ] = await Promise.all([ startBrowser(), startServer() ]);
  });

  afterAll(async(): Promise<void> => {
    await browser?.close();
    await server?.stop();
  });

  it.each(kinds)('is whole without script, even at 320 pixels: %s, %s.', async(locale, colorScheme): Promise<void> => {
    for (const width of [ 320, 1100 ]) {
      const { page, complaints } = await watch(browser, {
        locale,
        colorScheme,
        javaScriptEnabled: false,
        viewport: { width, height: 900 },
      });
      await page.goto(server.base);
      await expect(page.locator('html').getAttribute('lang')).resolves.toBe(locale);
      const overflowing = await page.locator('main *').evaluateAll((elements: any[], limit): string[] => elements
        .filter((element): boolean => element.getBoundingClientRect().right > limit)
        .map((element): string => element.outerHTML as string), width);
      expect(overflowing).toEqual([]);
      if (SHOTS) {
        await page.screenshot({ path: `${SHOTS}/home-${locale}-${colorScheme}-${width}.png`, fullPage: true });
      }
      expect(complaints).toEqual([]);
      await page.context().close();
    }
  });

  it.each(kinds)('meets WCAG 2.2 AA: %s, %s.', async(locale, colorScheme): Promise<void> => {
    const { page, complaints } = await watch(browser, { locale, colorScheme, viewport: { width: 390, height: 900 }});
    await page.goto(server.base);
    await expect(violations(page)).resolves.toEqual([]);
    expect(complaints).toEqual([]);
    await page.context().close();
  });

  it('links to the log-in and to other languages.', async(): Promise<void> => {
    const { page, complaints } = await watch(browser, { locale: 'en' });
    await page.goto(server.base);
    await page.getByRole('link', { name: 'Deutsch' }).click();
    await expect(page.locator('h1').textContent()).resolves.toBe('Ihre Daten. Sie entscheiden.');
    await page.getByRole('link', { name: 'Anmelden' }).click();
    await page.waitForURL(`${server.base}.account/login/**`);
    expect(complaints).toEqual([]);
    await page.context().close();
  });

  it('is not sent to Solid clients.', async(): Promise<void> => {
    const response = await fetch(server.base, { headers: { accept: 'text/turtle' }});
    await expect(response.text()).resolves.not.toContain('Your data');
    expect(response.headers.get('www-authenticate')).toMatch(/^UMA /u);
    const page = await fetch(server.base, { headers: { accept: 'text/html' }});
    expect(page.headers.get('www-authenticate')).toMatch(/^UMA /u);
    expect(page.headers.get('cache-control')).toBe('no-store');
  });
});
