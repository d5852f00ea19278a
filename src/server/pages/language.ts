import { AsyncLocalStorage } from 'node:async_hooks';
import type { IncomingMessage } from 'node:http';
import { isOneOf } from '../../platform/lists';

/** Languages of the pages; the first is the default. */
export const pageLanguages = [ 'en', 'nl', 'fr', 'de' ] as const;

/** A language of the pages. */
export type PageLanguage = typeof pageLanguages[number];

const current = new AsyncLocalStorage<PageLanguage>();

/** Runs the work of a request so that pages are written in the language it prefers. */
export function inLanguageOf<T>({ headers }: Pick<IncomingMessage, 'headers'>, work: () => T): T {
  return current.run(preferredLanguage(headers['accept-language']), work);
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
