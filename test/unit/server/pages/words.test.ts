import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { inLanguageOf, pageLanguage, pageLanguages, preferredLanguage } from '../../../../src/server/pages/language';
import { ServicePages } from '../../../../src/server/pages/ServicePages';

const folder = join(__dirname, '../../../../templates/pages');

function read(file: string): string {
  return readFileSync(join(folder, file), 'utf8');
}

const templates = readdirSync(folder, { recursive: true, encoding: 'utf8' })
  .filter((name): boolean => name.endsWith('.ejs'));
const words = JSON.parse(read('words/en.json')) as Record<string, string>;

describe('The words of the pages', (): void => {
  it.each(pageLanguages)('are all there in %s.', (language): void => {
    const other = JSON.parse(read(`words/${language}.json`)) as Record<string, string>;
    expect(Object.keys(other)).toEqual(Object.keys(words));
    expect(Object.values(other).filter((text): boolean => text.trim() === '' || /[<>]/u.test(text))).toEqual([]);
  });

  it('in French begin no line with punctuation.', async(): Promise<void> => {
    const pages = new ServicePages({ baseUrl: 'https://data.example', serviceName: 'Vaults' });
    const [ title, advice ] = await inLanguageOf({ headers: { 'accept-language': 'fr' }}, async(): Promise<string[]> =>
      [ 'password.forgot', 'script.noWebIds' ].map((key): string => pages.text(key)));
    expect(title).toBe('Mot de passe oublié\u00A0?');
    expect(advice).toContain('«\u00A0Modifier mon compte\u00A0»');
  });

  it.each([
    'citizen-leaving',
    'claim-missing',
    'data-user-suspended',
    'identity-invalid',
    'login-cancelled',
    'login-elsewhere',
    'login-not-open',
    'login-provider-away',
    'login-refused',
    'login-too-weak',
    'password-login-off',
  ])('say what to do after a log-in that ends with %s.', (problem): void => {
    expect(words[`script.${problem}`]).toMatch(/\b(?:log in|ask|try|choose|nothing happened)\b/iu);
  });

  it('are in the language that the reader prefers.', (): void => {
    expect([ 'nl-BE,nl;q=0.9,en;q=0.8', 'pt, fr;q=0.5, de;q=0.7', 'pt', undefined, '*', 'en;q=0, fr;q=0.1', '-,;q=x' ]
      .map((accepted): string => preferredLanguage(accepted))).toEqual([ 'nl', 'de', 'en', 'en', 'en', 'fr', 'en' ]);
    expect(inLanguageOf({ headers: { 'accept-language': 'nl' }}, pageLanguage)).toBe('nl');
    const cookies =
      [ 'css-language=de', 'a=b; css-language=fr;c=d', 'css-language=xx', 'not-css-language=fr', 'css-language=' ];
    expect(cookies.map((cookie): string => inLanguageOf({ headers: { 'accept-language': 'nl', cookie }}, pageLanguage)))
      .toEqual([ 'de', 'fr', 'nl', 'nl', 'nl' ]);
    expect(pageLanguage()).toBe('en');
  });
});

describe('The templates of the pages', (): void => {
  it.each(templates)('have no script, style or handler of their own, and put values as text: %s.', (name): void => {
    const text = read(name);
    const plain = text.replace('<script src="<%= scriptUrl %>" defer></script>', '');
    expect(plain).not.toMatch(/<script|<style|\sstyle=|\son\w+=|javascript:/iu);
    const raw = [ ...text.matchAll(/<%-\s*([\w.]+)/gu) ].map(([ , expression ]): string => expression);
    const ownHtml = new Set([ 'include', 'body', 'title', 'htmlBody' ]);
    expect(raw.filter((expression): boolean => !ownHtml.has(expression))).toEqual([]);
  });

  it.each(templates.filter((name): boolean => !/^(?:frame|field|lead)\./u.test(name)))('are complete: %s.', async(name):
  Promise<void> => {
    const pages = new ServicePages({ baseUrl: 'https://data.example', serviceName: 'Vaults' });
    const contents = { kind: 'notFound', status: 404, message: '', htmlBody: '', action: '/', secret: 's' };
    for (const language of pageLanguages) {
      const html = await inLanguageOf({ headers: { 'accept-language': language }}, async(): Promise<string> =>
        pages.render(name.replace('.html.ejs', ''), contents));
      expect(html).toContain(`<html lang="${language}">`);
      expect(html).toMatch(/<title>[^<]*Vaults<\/title>/u);
      expect(html).not.toMatch(/Community Solid|undefined|\[object/u);
    }
  });

  it.each([
    'login',
    'password/login',
    'password/reset',
    'account/resource',
    'account/pod-settings',
    'oidc/consent',
  ])('link to other languages: %s.', async(name): Promise<void> => {
    const pages = new ServicePages({ baseUrl: 'https://data.example', serviceName: 'Vaults' });
    const html = await inLanguageOf({ headers: { 'accept-language': 'fr' }}, async(): Promise<string> =>
      pages.render(name, {}));
    expect([ ...html.matchAll(/ hreflang="(\w+)"( aria-current="true")?/gu) ].map(([ , ...link ]): unknown[] => link))
      .toEqual([[ 'nl', undefined ], [ 'fr', ' aria-current="true"' ], [ 'de', undefined ], [ 'en', undefined ]]);
  });

  it.each([ 'national/answer', 'oidc/logged-out', 'account/create-client-credentials' ])(
    'link to no other language where loading the page again would lose what it shows: %s.',
    async(name): Promise<void> => {
      const pages = new ServicePages({ baseUrl: 'https://data.example', serviceName: 'Vaults' });
      await expect(pages.render(name, {})).resolves.not.toContain('hreflang');
    },
  );

  it('show errors in the reader\'s language, with their message as text.', async(): Promise<void> => {
    const message = '<img src=x onerror=alert(1)> [a](javascript:alert(1))';
    const pages = new ServicePages({ baseUrl: 'https://data.example', serviceName: 'Vaults & co <b>' });
    const html = await inLanguageOf({ headers: { 'accept-language': 'de' }}, async(): Promise<string> =>
      pages.render('error', { kind: 'notFound', status: 404, message }));
    expect(html).toContain('<html lang="de">');
    expect(html).toContain('Vaults &amp; co &lt;b&gt;');
    expect(html).toContain('&lt;img src=x onerror=alert(1)&gt; [a](javascript:alert(1))');
    expect(html).not.toContain('<img');
  });

  it.each([ '', '  ', 'x'.repeat(81), 'a\nb' ])('need a name of the service: %j.', (serviceName): void => {
    const baseUrl = 'https://data.example';
    expect((): unknown => new ServicePages({ baseUrl, serviceName })).toThrow('--serviceName');
  });
});
