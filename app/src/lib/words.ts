import type { Formats, Formatters } from 'intl-messageformat';
import { formatToParts } from 'intl-messageformat';
import type { Settings } from './settings';
import type { Translated } from './terms';
import { dayOf, parseMoment } from './until';

/** A text as the build writes it: plain, or parsed. */
type Text = string | Parameters<typeof formatToParts>[0];

/** Languages of the pages, each with the locale for its dates and numbers. */
export const locales = { nl: 'nl-BE', fr: 'fr-BE', de: 'de-BE', en: 'en-GB' } as const;

/** Language of the pages. */
export type Language = keyof typeof locales;

/** Names of the texts, which are the same in every language: a test checks this. */
export type Word = keyof typeof import('../../words/en.json');

/** Value of an argument of a text. A date without time is its first moment in UTC. */
export type Argument = string | number | Date;

/** Piece of a text: plain, a name from outside, or words marked by a tag. */
export interface Piece {
  kind: 'text' | 'name' | 'b' | 'link';
  text: string;
}

/** Key of the language chosen in this tab, also on the pages of log-in and accounts. */
const storedLanguage = 'language';
/** Key of the language that the last address with one asked for. */
const askedLanguage = 'asked-language';

/** Texts with a moment, shown in the time zone of the service. */
const momentWords: ReadonlySet<Word> = new Set<Word>([
  'value.timestamp',
  'receipt.agreed',
  'detail.readsRange',
  'identity.lastLogin',
  'share.untilMoment',
]);

const longDate = { day: 'numeric', month: 'long', year: 'numeric' } as const;

const shortTime = { hour: '2-digit', minute: '2-digit' } as const;

/** Formats of calendar dates in texts. */
const calendar: Formats = { date: { long: { ...longDate, timeZone: 'UTC' }}, time: {}, number: {}};

/** Names of the service and its operator by language, in place of those in the texts, and its time zone. */
type OwnSettings = Pick<Settings, 'name' | 'operator' | 'timeZone'>;

/** Texts of one language. */
export class Words {
  /** Cached formats, by kind and options. */
  private readonly formats = new Map<string, unknown>();
  private readonly formatters: Formatters = {
    getDateTimeFormat: (_, options): Intl.DateTimeFormat => this.format(Intl.DateTimeFormat, options),
    getNumberFormat: (_, options): Intl.NumberFormat => this.format(Intl.NumberFormat, options),
    getPluralRules: (_, options): Intl.PluralRules => this.format(Intl.PluralRules, options),
  };

  /** False while only the texts of a question and of the frame around every page are loaded. */
  public isComplete = false;

  private constructor(
    public readonly language: Language,
    private readonly texts: Record<Word, Text>,
    /** Of moments; the reader's by default. */
    private readonly timeZone?: string,
  ) {}

  /** Loads the texts of a language, with the operator's names in it: at first only those of a question. */
  public static async load(language: Language, { name, operator, timeZone }: OwnSettings): Promise<Words> {
    const { default: texts } = await import(`../../words/${language}.json`) as { default: Record<Word, Text> };
    return new Words(language, {
      ...texts,
      ...name && { 'app.name': name[language], 'app.operator': (operator ?? name)[language] },
    }, timeZone);
  }

  /** Locale for dates, numbers and lists. */
  public get locale(): string {
    return locales[this.language];
  }

  /** Loads the texts of all other pages, once. */
  public async complete(): Promise<void> {
    if (!this.isComplete) {
      const { default: texts } =
        await import(`../../words/${this.language}.json?late`) as { default: Record<Word, Text> };
      Object.assign(this.texts, texts);
      this.isComplete = true;
    }
  }

  /** Returns a text as one string. */
  public text(word: Word, values: Record<string, Argument> = {}): string {
    return this.pieces(word, values).map(({ text }): string => text).join('');
  }

  /**
   * Returns a text in pieces, so that a page can mark bold words and links, and isolate names from outside.
   *
   * @param word - Name of the text.
   * @param values - Values of its arguments.
   * @param names - Arguments that are names from outside.
   */
  public pieces(word: Word, values: Record<string, Argument> = {}, names: readonly string[] = []): Piece[] {
    const marked = Object.fromEntries(Object.entries(values).map(([ key, value ]): [string, Argument | object] =>
      [ key, names.includes(key) ? { kind: 'name', text: String(value) } satisfies Piece : value ]));
    const formats = momentWords.has(word) ? this.moments : calendar;
    const tags = { b: tag('b'), link: tag('link') };
    const text = this.texts[word];
    const said: { value: unknown }[] = typeof text === 'string' ?
        [{ value: text }] :
        formatToParts(text, this.locale, this.formatters, formats, { ...marked, ...tags });
    return flat(said.map(({ value }): unknown => value))
      .map((piece): Piece => ({ ...piece, text: this.spaced(piece.text) }));
  }

  /** Name of the operator, unless the name of the service says as much. */
  public get operator(): string | undefined {
    const operator = this.text('app.operator');
    return operator === this.text('app.name') ? undefined : operator;
  }

  /** Formats a calendar date such as `2027-12-31` in words. */
  public date(text: string): string {
    const date = new Date(`${text.slice(0, 10)}T00:00:00Z`);
    return Number.isNaN(date.getTime()) ? text : this.spaced(this.dates({}).format(date));
  }

  /** Formats a moment in words, with its time. */
  public moment(text: string): string {
    const date = parseMoment(text, this.timeZone);
    return Number.isNaN(date.getTime()) ? text : this.text('value.timestamp', { value: date });
  }

  /** Returns the day of a moment in the time zone of the service, as an argument for a text with a date. */
  public day(moment: string): Date {
    return new Date(`${dayOf(new Date(moment), this.timeZone)}T00:00:00Z`);
  }

  /** Returns the last day of something that ends at a moment: midnight belongs to the day before. */
  public lastDay(end: string): Date {
    return this.day(new Date(Date.parse(end) - 1).toISOString());
  }

  /** Formats the day of a moment as a heading: `Sunday 22 November 2026`. */
  public weekday(moment: string): string {
    const text = this.dates({ weekday: 'long' }).format(this.day(moment));
    return this.spaced(text.slice(0, 1).toLocaleUpperCase(this.language) + text.slice(1));
  }

  /** Formats the time of a moment in the time zone of the service. */
  public time(moment: string): string {
    return this.format(Intl.DateTimeFormat, { ...shortTime, timeZone: this.timeZone }).format(new Date(moment));
  }

  /** Formats a size in words: `1.2 MB`. */
  public size(bytes: number): string {
    const power = bytes < 1000 ? 0 : Math.min(3, Math.floor(Math.log10(bytes) / 3));
    return this.format(Intl.NumberFormat, {
      style: 'unit',
      unit: ([ 'byte', 'kilobyte', 'megabyte', 'gigabyte' ] as const)[power],
      unitDisplay: power === 0 ? 'long' : 'short',
      maximumFractionDigits: power > 1 ? 1 : 0,
    }).format(bytes / 1000 ** power);
  }

  /** Formats a number as the language does; returns text that is not a number unchanged. */
  public number(text: string): string {
    const value = Number(text);
    return text.trim() === '' || Number.isNaN(value) ?
      text :
        // As text, because a number has 15 digits that are certain.
        this.format(Intl.NumberFormat, { maximumFractionDigits: 20 }).format(text as `${number}`);
  }

  /** Joins things into a list: `a, b and c`. */
  public list(items: readonly string[]): string {
    return items.length > 1 ? this.format(Intl.ListFormat, { type: 'conjunction' }).format(items) : items.join('');
  }

  /** Returns the name of a language by its tag; returns a malformed tag unchanged. */
  public languageName(tag: string): string {
    try {
      return this.format(Intl.DisplayNames, { type: 'language' }).of(tag) ?? tag;
    } catch {
      return tag;
    }
  }

  /**
   * Chooses the text that this reader understands best: in the page's language, otherwise in one of the browser's,
   * otherwise in English, otherwise the first.
   */
  public choose(texts: readonly Translated[]): Translated | undefined {
    const wanted = [ this.language, ...navigator.languages.map((tag): string => tag.split('-')[0]), 'en' ];
    for (const language of wanted) {
      const found = texts.find((text): boolean => text.language?.split('-')[0] === language);
      if (found) {
        return found;
      }
    }
    return texts[0];
  }

  /** Formats of moments in texts. */
  private get moments(): Formats {
    const { timeZone } = this;
    return { date: { long: { ...longDate, timeZone }}, time: { short: { ...shortTime, timeZone }}, number: {}};
  }

  private dates(options: Intl.DateTimeFormatOptions): Intl.DateTimeFormat {
    return this.format(Intl.DateTimeFormat, { ...longDate, timeZone: 'UTC', ...options });
  }

  /** Returns a cached format of the platform for this language, because creating one takes far longer than using it. */
  private format<TOptions, TFormat>(
    kind: new (locale: string, options: TOptions) => TFormat,
    options: TOptions,
  ): TFormat {
    const key = `${kind.name} ${JSON.stringify(options)}`;
    // eslint-disable-next-line new-cap -- a class, as an argument
    const found = this.formats.get(key) as TFormat | undefined ?? new kind(this.locale, options);
    this.formats.set(key, found);
    return found;
  }

  /** Applies rules that `Intl` lacks: the first of a month in French, and spaces that must not break. */
  private spaced(text: string): string {
    // Without a purpose, the text has stray spaces and commas around the gap.
    const fixed = text.replaceAll(/ +(?=,)/gu, '').replaceAll(/,+/gu, ',')
      .replaceAll(/(?<=^|\D)(\d{1,2}\.?) (?=\p{L}+ \d{4})/gu, '$1\u00A0');
    return this.language === 'fr' ?
        fixed.replaceAll(/(?<=^|\D)1\u00A0(?=\p{L}+ \d{4})/gu, '1er\u00A0')
          .replaceAll(/ (?=[?!:;»])|(?<=«) /gu, '\u00A0') :
      fixed;
  }
}

/**
 * Returns the language of the first view: the one chosen in this tab, otherwise that of the address or of an earlier
 * one in this tab, the stored one, or the first available one of the browser's, otherwise English.
 */
export function firstLanguage(): Language {
  const asked = languageOf(new URLSearchParams(location.search).get('ui_locales'));
  if (asked !== undefined) {
    // The address of the end of a log-in has none.
    sessionStorage.setItem(askedLanguage, asked);
  }
  const [ here, before ] = [ storedLanguage, askedLanguage ].map((key): string | null => sessionStorage.getItem(key));
  const [ , stored ] = /(?:^|; *)css-language=(\w+)/u.exec(document.cookie) ?? [];
  const chosen = [ here, asked ?? before, stored, ...navigator.languages ];
  return chosen.map(languageOf).find((language): boolean => language !== undefined) ?? 'en';
}

/**
 * Stores the chosen language for this tab, whatever its address asks for, and for later visits: in the cookie of the
 * pages of log-in and accounts, which then have it, too.
 */
export function keepLanguage(language: Language): void {
  sessionStorage.setItem(storedLanguage, language);
  const secure = location.protocol === 'https:' ? '; secure' : '';
  document.cookie = `css-language=${language}; path=/; max-age=31536000; samesite=lax${secure}`;
}

/** Returns the language of a tag such as `nl-BE`, if the pages have it. */
function languageOf(tag: string | null | undefined): Language | undefined {
  const language = tag?.split('-')[0];
  return language !== undefined && Object.hasOwn(locales, language) ? language as Language : undefined;
}

function tag(kind: 'b' | 'link'): (chunks: unknown[]) => object {
  return (chunks): object => ({ kind, chunks });
}

function flat(parts: unknown[], kind: Piece['kind'] = 'text'): Piece[] {
  return parts.flatMap((part): Piece[] => {
    if (Array.isArray(part)) {
      return flat(part, kind);
    }
    if (typeof part === 'object' && part !== null && 'chunks' in part) {
      const { kind: inner, chunks } = part as { kind: Piece['kind']; chunks: unknown[] };
      return flat(chunks, inner);
    }
    if (typeof part === 'object' && part !== null) {
      const piece = part as Piece;
      return [ kind === 'text' ? piece : { ...piece, kind } ];
    }
    return [{ kind, text: String(part) }];
  });
}
