import { AsyncLocalStorage } from 'node:async_hooks';
import type { IncomingMessage } from 'node:http';
import { isOneOf } from '../../platform/lists';

/** Languages of the pages; the first is the default. */
export const pageLanguages = [ 'en', 'nl', 'fr', 'de' ] as const;

/** A language of the pages. */
export type PageLanguage = typeof pageLanguages[number];

/** Languages of the pages by their own names, in the order in which they are offered. */
export const languageNames: Readonly<Record<PageLanguage, string>> =
  { nl: 'Nederlands', fr: 'Français', de: 'Deutsch', en: 'English' };

const current = new AsyncLocalStorage<PageLanguage>();

/** Cookie with the language that somebody chose, which the script of the pages sets. */
const chosen = new RegExp(`(?:^|;) *css-language=(?<language>${pageLanguages.join('|')})(?:;|$)`, 'u');

/** Runs the work of a request so that pages are written in the language chosen in its browser, or else preferred. */
export function inLanguageOf<T>({ headers }: Pick<IncomingMessage, 'headers'>, work: () => T): T {
  const language = chosen.exec(headers.cookie ?? '')?.groups?.language as PageLanguage | undefined;
  return current.run(language ?? preferredLanguage(headers['accept-language']), work);
}

/** Returns the language of the current request. */
export function pageLanguage(): PageLanguage {
  return current.getStore() ?? pageLanguages[0];
}

/**
 * Returns the available language with the highest weight in `Accept-Language`.
 *
 * @see [RFC 9110, section 12.5.4](https://www.rfc-editor.org/rfc/rfc9110#section-12.5.4)
 */
export function preferredLanguage(accepted = ''): PageLanguage {
  const weighed = accepted.slice(0, 1000).split(',').map((item): { language: string; weight: number } => {
    const [ range, ...parameters ] = item.split(';').map((part): string => part.trim());
    const quality = parameters.find((parameter): boolean => /^q=/iu.test(parameter));
    return { language: range.split('-')[0].toLowerCase(), weight: quality ? Number(quality.slice(2)) : 1 };
  });
  return weighed
    .filter(({ weight }): boolean => weight > 0)
    // The sort is stable: the first of equals wins.
    .sort((one, other): number => other.weight - one.weight)
    .map(({ language }): string => language)
    .find((language): language is PageLanguage => isOneOf(pageLanguages, language)) ?? pageLanguages[0];
}
