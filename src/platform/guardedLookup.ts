import { lookup } from 'node:dns';
import type { LookupAddress } from 'node:dns';
import type { LookupFunction } from 'node:net';
import { isIP } from 'node:net';
import { FetchRefused } from './fetchErrors';
import { isReachable } from './publicAddress';

/**
 * Checks the scheme of a URL, and that it holds no credentials.
 *
 * @param url - URL to fetch.
 * @param allowPlain - True to allow http.
 *
 * @throws FetchRefused
 */
export function checkScheme(url: URL, allowPlain: boolean): void {
  if (url.protocol !== 'https:' && !(url.protocol === 'http:' && allowPlain)) {
    throw new FetchRefused('only https URLs are fetched');
  }
  if (url.username !== '' || url.password !== '') {
    throw new FetchRefused('URLs with credentials are not fetched');
  }
}

/** Returns the host name or address of a URL, an IPv6 address without brackets. */
export function hostOf({ hostname }: URL): string {
  return hostname.replaceAll(/^\[|\]$/gu, '');
}

/**
 * Checks a URL without resolving its host: scheme, credentials, and an address in place of a name.
 *
 * @throws FetchRefused
 */
export function checkUrl(url: URL, allowLoopback: boolean): void {
  checkScheme(url, allowLoopback);
  const host = hostOf(url);
  if (isIP(host) !== 0 && !isReachable(host, allowLoopback)) {
    throw new FetchRefused('the host is not on the public internet');
  }
}

/**
 * Creates a variant of the system's look-up that fails for a name if any of its addresses is not allowed. The look-up
 * happens when connecting, so that the name cannot resolve differently afterwards.
 */
export function createGuardedLookup(allowLoopback: boolean): LookupFunction {
  return (hostname, options, callback): void => {
    lookup(hostname, { ...options, all: true }, (error, addresses): void => {
      const allowed = addresses?.every(({ address }): boolean => isReachable(address, allowLoopback));
      const refusal = allowed ? null : new FetchRefused('the host is not on the public internet');
      answer(error ?? refusal, addresses, options.all, callback);
    });
  };
}

/** Returns one address or all of them, as the socket requests. */
function answer(
  error: Error | null,
  addresses: LookupAddress[],
  all: boolean | undefined,
  done: Parameters<LookupFunction>[2],
): void {
  if (error) {
    done(error, []);
  } else if (all) {
    done(null, addresses);
  } else {
    done(null, addresses[0].address, addresses[0].family);
  }
}
