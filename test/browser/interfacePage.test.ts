import type { Browser } from 'playwright-core';
import type { RunningApi } from '../unit/http/server';
import { startApi } from '../unit/http/server';
import { startBrowser, watch } from './browser';

describe('The page of the interface', (): void => {
  let browser: Browser;
  let running: RunningApi;
  let base: string;

  beforeAll(async(): Promise<void> => {
    [ browser, running ] = await Promise.all([ startBrowser(), startApi() ]);
    base = `http://127.0.0.1:${running.port}`;
  });

  afterAll(async(): Promise<void> => {
    await browser?.close();
    await running?.stop();
  });

  it.each([ 'light', 'dark' ] as const)('shows operations and how to get a token: %s.', async(
    colorScheme,
  ): Promise<void> => {
    const { page, complaints } = await watch(browser, { colorScheme });
    const elsewhere: string[] = [];
    page.on('request', (request): void => {
      if (!request.url().startsWith(base) && !request.url().startsWith('data:')) {
        elsewhere.push(request.url());
      }
    });
    await page.goto(`${base}/v1/docs`);
    await page.locator('.opblock-summary-path', { hasText: '/v1/webids' }).first().waitFor();
    await expect(page.locator('.info').textContent()).resolves.toContain('How to get a token');
    await page.locator('.btn.authorize').click();
    const dialog = await page.locator('.modal-ux').textContent();
    expect(dialog).toContain('dpopAuthentication (http, DPoP)');
    expect(dialog).not.toContain('unsupported');
    await expect(page.locator('html.dark-mode').count()).resolves.toBe(colorScheme === 'dark' ? 1 : 0);
    expect([ complaints, elsewhere ]).toEqual([[], []]);
    await page.context().close();
  });

  it('fits 320 pixels.', async(): Promise<void> => {
    const { page } = await watch(browser, { viewport: { width: 320, height: 800 }});
    await page.goto(`${base}/v1/docs`);
    await page.locator('.opblock').first().waitFor();
    await expect(page.evaluate('document.documentElement.scrollWidth')).resolves.toBe(320);
    await page.context().close();
  });
});
