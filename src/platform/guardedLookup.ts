import type { LookupAddress, LookupOptions } from 'node:dns';
import type { LookupFunction } from 'node:net';
import { isIP } from 'node:net';
import { FetchFailed, FetchRefused } from './fetchErrors';
import { lookUpAddresses } from './lookUpAddresses';
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
 * Creates a look-up for sockets that fails for a name if any of its addresses is not allowed. The look-up happens when
 * connecting, so that the name cannot resolve differently afterwards.
 */
export function createGuardedLookup(allowLoopback: boolean): LookupFunction {
  return (hostname, { all, family }, callback): void => {
    lookUpAllowed(hostname, allowLoopback).then(
      (found): void => answer(found.filter((each): boolean => isWanted(each, family)), all, callback),
      // Look-ups are rejected with an Error.
      (error: unknown): void => callback(error as Error, []),
    );
  };
}

async function lookUpAllowed(hostname: string, allowLoopback: boolean): Promise<LookupAddress[]> {
  const addresses = await lookUpAddresses(hostname);
  if (!addresses.every(({ address }): boolean => isReachable(address, allowLoopback))) {
    throw new FetchRefused('the host is not on the public internet');
  }
  return addresses;
}

function isWanted({ family }: LookupAddress, wanted: LookupOptions['family']): boolean {
  return (wanted !== 4 && wanted !== 6) || family === wanted;
}

/** Returns one address or all of them, as the socket requests. */
function answer(addresses: LookupAddress[], all: boolean | undefined, done: Parameters<LookupFunction>[2]): void {
  if (addresses.length === 0) {
    done(new FetchFailed('the server cannot be reached'), []);
  } else if (all) {
    done(null, addresses);
  } else {
    done(null, addresses[0].address, addresses[0].family);
  }
}
