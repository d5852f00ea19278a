import type { IncomingMessage } from 'node:http';

/** Reason to refuse a request to the accounts. */
export type AccountRefusal = 'foreign' | 'mediaType' | 'tooLarge';

/** Maximum bytes in the body of an account operation. Its length must be declared. */
export const maxAccountBytes = 64 * 1024;

const readingMethods = new Set([ 'GET', 'HEAD', 'OPTIONS' ]);
const accountPaths = /^\/+\.account(?:\/|$)/u;
/** Path that confirms a log-out. Its form is our own. */
const confirmPaths = /^\/+\.oidc\/+session\/+end\/+confirm/u;

/**
 * Finds the reason to refuse a request to the account operations. Browsers may log in or use a cookie only from a page
 * of this origin, and only with JSON, which forms cannot send. Requests with a token may come from anywhere.
 *
 * @param request - The request; its cookie is removed when it comes from another origin.
 * @param path - Its path, decoded.
 * @param origin - Origin of the server.
 *
 * @see [Fetch Metadata Request Headers, section 2.4](https://www.w3.org/TR/fetch-metadata/#sec-fetch-site-header)
 */
export function findAccountRefusal(
  request: Pick<IncomingMessage, 'headers' | 'method'>,
  path: string,
  origin: string,
): AccountRefusal | undefined {
  const { headers, method = 'GET' } = request;
  const foreign = isForeign(headers, origin);
  // Links on other sites arrive here with the cookie: apps send people here to log in.
  if (foreign && (headers.origin !== undefined || headers['sec-fetch-mode'] !== 'navigate')) {
    delete headers.cookie;
  }
  const forAccounts = accountPaths.test(path);
  if (!readingMethods.has(method) && (forAccounts || confirmPaths.test(path)) && foreign) {
    delete headers.cookie;
    if (headers.authorization === undefined) {
      return 'foreign';
    }
  }
  // The body of any request is read, also of GET.
  return forAccounts && hasBody(headers) ? findBodyRefusal(headers) : undefined;
}

function findBodyRefusal(headers: IncomingMessage['headers']): AccountRefusal | undefined {
  if (!isJson(headers['content-type'])) {
    return 'mediaType';
  }
  // A missing length counts as too long.
  return Number(headers['content-length'] ?? Infinity) > maxAccountBytes ? 'tooLarge' : undefined;
}

/** Checks whether a browser reports that a page of another origin sends the request. Other clients report nothing. */
function isForeign(headers: IncomingMessage['headers'], origin: string): boolean {
  const site = headers['sec-fetch-site'];
  return (headers.origin !== undefined && headers.origin !== origin) ||
    (site !== undefined && site !== 'same-origin' && site !== 'none');
}

function hasBody(headers: IncomingMessage['headers']): boolean {
  return headers['transfer-encoding'] !== undefined || (headers['content-length'] ?? '0') !== '0';
}

function isJson(contentType = ''): boolean {
  return contentType.split(';', 1)[0].trim().toLowerCase() === 'application/json';
}
