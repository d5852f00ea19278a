import type { IncomingHttpHeaders } from 'node:http';

/** Name by which the server knows the cookie of a log-in. */
export const accountCookie = 'css-account';

/**
 * Name by which browsers know it. With https it has the prefix that browsers give to this host's own answers only: a
 * neighbouring subdomain cannot plant one.
 *
 * @see [Cookies, section 4.1.3.2](https://datatracker.ietf.org/doc/html/draft-ietf-httpbis-rfc6265bis#section-4.1.3.2)
 */
export function browserCookie(isSecure: boolean): string {
  return isSecure ? `__Host-${accountCookie}` : accountCookie;
}

/** Brings the cookies of a request to the server's names. With https, the name without prefix counts for nothing. */
export function receiveCookies(headers: IncomingHttpHeaders, isSecure: boolean): void {
  if (!isSecure || headers.cookie === undefined) {
    return;
  }
  const own = `${browserCookie(isSecure)}=`;
  const cookies = headers.cookie.split(';').map((cookie): string => cookie.trim())
    .filter((cookie): boolean => nameOf(cookie) !== accountCookie)
    .map((cookie): string => cookie.startsWith(own) ? `${accountCookie}=${cookie.slice(own.length)}` : cookie);
  headers.cookie = cookies.join('; ');
}

function nameOf(cookie: string): string {
  return cookie.split('=', 1)[0].trim();
}
