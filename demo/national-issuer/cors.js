'use strict';

/**
 * @typedef {import('node:http').IncomingMessage} Request
 * @typedef {import('node:http').ServerResponse} Response
 */

/** Paths that apps in browsers call by script. All others are for navigation, closed to scripts of other origins. */
const forScripts = /^\/(?:\.well-known\/openid-configuration|jwks|reg|token)(?:[/?]|$)/u;

/**
 * Opens discovery, keys, registration, token and revocation to scripts of any origin, their errors included. No cookie
 * is used there, so a foreign script gains nothing.
 *
 * @param {Request} request
 * @param {Response} response
 *
 * @returns {boolean} True for a preflight request, whose response has been sent.
 *
 * @see [Fetch, CORS protocol](https://fetch.spec.whatwg.org/#http-cors-protocol)
 */
function openToBrowsers({ method, url, headers }, response) {
  if (!forScripts.test(url ?? '')) {
    return false;
  }
  response.setHeader('access-control-allow-origin', '*');
  response.setHeader('access-control-expose-headers', 'WWW-Authenticate, Date');
  if (method !== 'OPTIONS' || !headers['access-control-request-method']) {
    return false;
  }
  response.writeHead(204, {
    'access-control-allow-methods': 'GET, POST, PUT, DELETE',
    'access-control-allow-headers': 'Authorization, Content-Type, DPoP',
    'access-control-max-age': '86400',
  }).end();
  return true;
}

module.exports = { openToBrowsers };
