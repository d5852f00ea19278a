import type { IncomingHttpHeaders } from 'node:http';

/** The server's name for the cookie of a log-in. */
export const accountCookie = 'css-account';

/** The server's name for the cookie of a browser that is logging in at a provider. */
export const loginCookie = 'css-login';

const cookies = [ accountCookie, loginCookie ];

/**
 * The browser's name for a cookie. With https it has the prefix that only this host itself can set: a neighbouring
 * subdomain cannot plant one.
 *
 * @see [Cookies, section 4.1.3.2](https://datatracker.ietf.org/doc/html/draft-ietf-httpbis-rfc6265bis#section-4.1.3.2)
 */
export function browserCookie(isSecure: boolean, name = accountCookie): string {
  return isSecure ? `__Host-${name}` : name;
}

/** Renames the cookies of a request to the server's names. With https, cookies without the prefix are ignored. */
export function receiveCookies(headers: IncomingHttpHeaders, isSecure: boolean): void {
  if (!isSecure || headers.cookie === undefined) {
    return;
  }
  const received = headers.cookie.split(';').map((cookie): string => cookie.trim())
    .filter((cookie): boolean => !cookies.includes(nameOf(cookie)))
    .map((cookie): string => {
      const own = cookies.find((name): boolean => nameOf(cookie) === browserCookie(isSecure, name));
      return own === undefined ? cookie : own + cookie.slice(browserCookie(isSecure, own).length);
    });
  headers.cookie = received.join('; ');
}

function nameOf(cookie: string): string {
  return cookie.split('=', 1)[0].trim();
}
