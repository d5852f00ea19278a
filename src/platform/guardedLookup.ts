import { lookup } from 'node:dns';
import type { LookupAddress } from 'node:dns';
import type { LookupFunction } from 'node:net';
import { isIP } from 'node:net';
import { FetchRefused } from './fetchErrors';
import { isReachable } from './publicAddress';

/**
 * Checks the scheme of a URL, and that it holds no credentials.
 *
 * @param url - What somebody wants fetched.
 * @param allowPlain - Whether it may be http.
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

/** The host name or address of a URL, the latter without brackets. */
export function hostOf({ hostname }: URL): string {
  return hostname.replaceAll(/^\[|\]$/gu, '');
}

/**
 * Checks what a URL shows by itself: scheme, credentials, an address in place of a name.
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
 * The system's look-up of names, which fails for a name with any address that may not be reached. It is asked at the
 * moment of connecting, so that the name cannot mean something else by then.
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

/** Returns one address or all of them, as the socket asks. */
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
