import { parse } from '@formatjs/icu-messageformat-parser';
import { describeModes } from '../../../app/src/lib/modes';
import type { Language } from '../../../app/src/lib/words';
import { firstLanguage, keepLanguage, Words } from '../../../app/src/lib/words';

const newYearsEve = new Date(Date.UTC(2027, 11, 31));

/** Loads the texts of a language, parsed as the build does. */
async function load(language: Language, timeZone?: string): Promise<Words> {
  const { default: texts } = await import(`../../../app/words/${language}.json`) as
    { default: Record<string, unknown> };
  for (const [ name, text ] of Object.entries(texts)) {
    texts[name] = typeof text === 'string' ? parse(text) : text;
  }
  return Words.load(language, { timeZone });
}

/** Dates, numbers and lists are as the language writes them, and lines break nowhere in a date. */
describe('The pages of a citizen write', (): void => {
  it.each([
    [ 'nl', '31\u00A0december 2027', '1\u00A0maart 2027' ],
    [ 'fr', '31\u00A0décembre 2027', '1er\u00A0mars 2027' ],
    [ 'de', '31.\u00A0Dezember 2027', '1.\u00A0März 2027' ],
    [ 'en', '31\u00A0December 2027', '1\u00A0March 2027' ],
  ] as const)('a day in %s.', async(language, last, first): Promise<void> => {
    const words = await load(language);
    // A date has no time zone.
    expect([ '2027-12-31', '2027-03-01', '2027-03-01T23:30:00-11:00' ].map((date): string => words.date(date)))
      .toEqual([ last, first, first ]);
    expect(words.date('soon')).toBe('soon');
  });

  it.each([
    [ 'nl', / om 15:05$/u ],
    [ 'fr', / à 15:05$/u ],
    [ 'de', / um 15:05 Uhr$/u ],
    [ 'en', / at 15:05$/u ],
  ] as const)('a moment in %s.', async(language, end): Promise<void> => {
    const words = await load(language, 'Europe/Brussels');
    expect(words.moment('2027-12-15T14:05:00Z')).toMatch(end);
    expect(words.moment('soon')).toBe('soon');
  });

  it.each([
    [ 'nl', 'Tot en met 31\u00A0december 2027. ' ],
    [ 'fr', 'Jusqu’au 31\u00A0décembre 2027 inclus. ' ],
    [ 'de', 'Bis einschließlich 31.\u00A0Dezember 2027. ' ],
    [ 'en', 'Until 31\u00A0December 2027. ' ],
  ] as const)('a last day in %s.', async(language, start): Promise<void> => {
    const words = await load(language);
    expect(words.text('share.untilText', { until: newYearsEve }).slice(0, start.length)).toBe(start);
  });

  it.each([
    [ 'nl', '12.345,6', '1,2 MB', '950 byte', 'a, b en c' ],
    [ 'fr', '12 345,6', '1,2 Mo', '950 octets', 'a, b et c' ],
    [ 'de', '12.345,6', '1,2 MB', '950 Byte', 'a, b und c' ],
    [ 'en', '12,345.6', '1.2 MB', '950 bytes', 'a, b and c' ],
  ] as const)('numbers, sizes and lists in %s.', async(language, ...expected): Promise<void> => {
    const words = await load(language);
    const written = [ words.number('12345.6'), words.size(1_200_000), words.size(950), words.list([ 'a', 'b', 'c' ]) ];
    expect(written.map((text): string => text.replaceAll(/[\u00A0\u202F]/gu, ' '))).toEqual(expected);
    expect(words.number('twelve')).toBe('twelve');
    // All digits, however many.
    expect(words.number('12345678901234567.25').replaceAll(/\D/gu, '')).toBe('1234567890123456725');
  });

  it('a day as a heading, and the day before midnight as the last one.', async(): Promise<void> => {
    const words = await load('nl');
    expect(words.weekday('2027-12-31T12:00:00')).toBe('Vrijdag 31\u00A0december 2027');
    expect(words.lastDay(new Date(2028, 0, 1).toISOString())).toEqual(newYearsEve);
    expect(words.lastDay(new Date(2028, 0, 1, 0, 1).toISOString())).toEqual(new Date(Date.UTC(2028, 0, 1)));
  });

  it('moments in the time zone of the service, wherever the reader is.', async(): Promise<void> => {
    // The end of a contract in Brussels: earlier on the same day in New York, the next day in Tokyo.
    const end = '2027-12-31T23:00:00Z';
    const [ brussels, tokyo ] = await Promise.all([ load('nl', 'Europe/Brussels'), load('nl', 'Asia/Tokyo') ]);
    expect(brussels.lastDay(end)).toEqual(newYearsEve);
    expect(tokyo.lastDay(end)).toEqual(new Date(Date.UTC(2028, 0, 1)));
    const noon = '2027-12-31T12:05:00Z';
    expect([ brussels.time(noon), tokyo.time(noon) ]).toEqual([ '13:05', '21:05' ]);
    expect(tokyo.moment(end)).toBe('1\u00A0januari 2028 om 08:00');
    // Data may have moments without time zone.
    expect(tokyo.moment('2026-01-15T09:30:00')).toBe('15\u00A0januari 2026 om 09:30');
    expect(tokyo.weekday(end)).toBe('Zaterdag 1\u00A0januari 2028');
  });

  it.each([
    [[ 'Read' ], 'lezen' ],
    [[ 'Append' ], 'aanvullen' ],
    [[ 'Read', 'Append' ], 'lezen en aanvullen' ],
    [[ 'Append', 'Read', 'Write' ], 'lezen en wijzigen' ],
  ] as const)('what somebody may do by %s.', async(modes, expected): Promise<void> => {
    expect(describeModes(modes, await load('nl'))).toBe(expected);
  });

  it('no line that begins with punctuation, in French.', async(): Promise<void> => {
    const words = await load('fr');
    expect(words.text('stop.title', { user: 'X', what: 'y' })).toMatch(/\u00A0\?$/u);
    expect(words.text('request.folder', { name: 'x' })).toContain('«\u00A0x\u00A0»');
  });
});

/** Opens a page whose address asks for a language. */
function visit(asked: string): void {
  const value = { protocol: 'https:', search: `?ui_locales=${asked}` };
  Object.defineProperty(globalThis, 'location', { value, configurable: true });
}

function openTab(): void {
  const items = new Map<string, string>();
  const value = {
    getItem: (key: string): string | null => items.get(key) ?? null,
    setItem: (key: string, item: string): unknown => items.set(key, item),
  };
  Object.defineProperty(globalThis, 'sessionStorage', { value, configurable: true });
}

describe('The first view', (): void => {
  beforeEach((): void => {
    Object.defineProperty(globalThis, 'navigator', { value: { languages: [ 'fr-BE' ]}, configurable: true });
    openTab();
    Object.defineProperty(globalThis, 'document', { value: { cookie: 'other=de' }, configurable: true });
  });

  afterEach((): void => {
    for (const name of [ 'navigator', 'document', 'sessionStorage', 'location' ]) {
      Reflect.deleteProperty(globalThis, name);
    }
  });

  it.each([
    [ 'of its address', 'de', 'de-AT' ],
    [ 'of the browser, when the address has none of ours', 'fr', 'it' ],
    [ 'of the browser, when the address has the name of something else', 'fr', 'toString' ],
  ])('is in the language %s.', (_, expected, asked): void => {
    visit(asked);
    expect(firstLanguage()).toBe(expected);
  });

  it('stays in the language that the reader chooses, whatever the address has.', (): void => {
    visit('de');
    keepLanguage('nl');
    expect(firstLanguage()).toBe('nl');
    // In another tab, somebody else may ask in another language.
    openTab();
    expect(firstLanguage()).toBe('de');
    openTab();
    visit('');
    expect(firstLanguage()).toBe('nl');
  });

  it('stays in the language of the last address that has one, as at the end of a log-in.', (): void => {
    visit('de');
    expect(firstLanguage()).toBe('de');
    visit('');
    expect(firstLanguage()).toBe('de');
    visit('it');
    expect(firstLanguage()).toBe('de');
    visit('en');
    expect(firstLanguage()).toBe('en');
  });

  it('is in the language chosen on the pages of the log-in.', (): void => {
    visit('');
    document.cookie = 'css-account=x; css-language=nl';
    expect(firstLanguage()).toBe('nl');
    document.cookie = 'css-language=toString';
    expect(firstLanguage()).toBe('fr');
  });
});

describe('A text in several languages', (): void => {
  beforeEach((): void => {
    Object.defineProperty(globalThis, 'navigator', { value: { languages: [ 'de-AT', 'nl' ]}, configurable: true });
  });

  afterEach((): void => {
    Reflect.deleteProperty(globalThis, 'navigator');
  });

  it.each([
    [ 'the page', 'fr', [ 'en', 'nl', 'fr-BE', 'de' ]],
    [ 'the citizen', 'de', [ 'en', 'nl', 'de' ]],
    [ 'many people', 'en', [ 'it', 'en' ]],
    [ 'others, when there is no other', 'it', [ 'it', 'es' ]],
  ])('is shown in the language of %s.', async(_, expected, languages): Promise<void> => {
    const words = await load('fr');
    const texts = languages.map((language): { value: string; language: string } => ({ value: language, language }));
    expect(words.choose(texts)?.value.split('-')[0]).toBe(expected);
  });

  it('names the language, if it has a name.', async(): Promise<void> => {
    const words = await load('nl');
    expect(words.languageName('fr')).toBe('Frans');
    // From strangers' data.
    expect(words.languageName('abcdefghijk')).toBe('abcdefghijk');
    expect(words.languageName('x')).toBe('x');
  });
});
