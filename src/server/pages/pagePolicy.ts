import { themePath } from '../../platform/theme';

/** Path of the script and the style of the account pages, below the base URL. */
export const pageAssets = '.well-known/css/data-sharing/';

/** The only script that runs on the account pages. */
export const pageScript = `${pageAssets}pages.js`;

/** Their only style sheet. */
export const pageStyle = `${pageAssets}style.css`;

/**
 * Content Security Policy of every page with a session: log-in, consent, accounts, log-out, errors.
 *
 * The script is allowed by its whole URL. `'self'` would allow scripts from pods, which have the same origin.
 *
 * @param baseUrl - Base URL of the server, with a trailing slash.
 * @param formAction - Allowed targets of forms, as source expressions; none by default, because the pages send JSON.
 *
 * @see [Content Security Policy Level 3, section 6.7.2.12, path-part match](https://www.w3.org/TR/CSP3/#match-paths)
 * @see [Trusted Types, section 4.3.3](https://www.w3.org/TR/trusted-types/#require-trusted-types-for-csp-directive)
 */
export function pagePolicy(baseUrl: string, formAction: string[] = [ '\'none\'' ]): string {
  return [
    [ 'default-src', '\'none\'' ],
    [ 'script-src', `${baseUrl}${pageScript}` ],
    [ 'style-src', `${baseUrl}${pageStyle} ${baseUrl}${themePath}` ],
    [ 'img-src', `${baseUrl}${pageAssets} ${baseUrl}${themePath}` ],
    [ 'font-src', `${baseUrl}${themePath}` ],
    [ 'connect-src', '\'self\'' ],
    [ 'object-src', '\'none\'' ],
    [ 'base-uri', '\'none\'' ],
    [ 'form-action', formAction.join(' ') ],
    [ 'frame-ancestors', '\'none\'' ],
    [ 'require-trusted-types-for', '\'script\'' ],
    [ 'trusted-types', '\'none\'' ],
  ].map(([ name, value ]): string => `${name} ${value}`).join('; ');
}
