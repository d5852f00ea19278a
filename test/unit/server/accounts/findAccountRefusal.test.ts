import type { IncomingHttpHeaders } from 'node:http';
import { findAccountRefusal } from '../../../../src/server/accounts/findAccountRefusal';

const origin = 'https://data.example';
const form = 'application/x-www-form-urlencoded';
const evil = 'https://evil.example';
const login = '/.account/login/password/';
const cookie = 'css-account=x';

function refusalOf(method: string, path: string, headers: IncomingHttpHeaders): [string | undefined, boolean] {
  const request = { method, headers: { 'content-length': method === 'GET' ? undefined : '2', cookie, ...headers }};
  return [ findAccountRefusal(request, path, origin), request.headers.cookie !== undefined ];
}

const json = { 'content-type': 'application/json' };

describe('A request to an account', (): void => {
  it.each<[string, string, string, IncomingHttpHeaders]>([
    [ 'of our own page', 'POST', login, { ...json, origin, 'sec-fetch-site': 'same-origin' }],
    [ 'of our own page, with a charset', 'POST', login, { 'content-type': 'Application/JSON; charset=utf-8', origin }],
    [ 'of a script', 'POST', login, json ],
    [ 'with no body', 'POST', '/.account/x/logout/', { 'content-length': undefined, origin }],
    [ 'that removes', 'DELETE', '/.account/x/webid/y/', { 'content-length': '0', origin }],
    [ 'by a link', 'GET', '/.account/', { 'sec-fetch-site': 'cross-site', 'sec-fetch-mode': 'navigate' }],
    [ 'typed in', 'GET', '/.account/', { 'sec-fetch-site': 'none', 'sec-fetch-mode': 'navigate' }],
    [ 'to confirm a log-out', 'POST', '/.oidc/session/end/confirm', { 'content-type': form, origin }],
    [ 'elsewhere', 'POST', '/ann/inbox/', { 'content-type': 'text/turtle', origin }],
  ])('%s is accepted unchanged.', (...[ , method, path, headers ]): void => {
    expect(refusalOf(method, path, headers)).toEqual([ undefined, true ]);
  });

  it.each<[string, string, string, IncomingHttpHeaders]>([
    [ 'a form', 'POST', login, { 'content-type': form, origin: evil }],
    [ 'a form with JSON in its content', 'POST', login, { 'content-type': 'text/plain', origin: 'null' }],
    [ 'a script', 'POST', login, { ...json, origin: evil }],
    [ 'a script of a neighbour', 'POST', login, { ...json, origin: 'https://x.data.example', 'sec-fetch-site': 'same-site' }],
    [ 'a page in a pod', 'POST', login, { ...json, origin: 'null', 'sec-fetch-site': 'cross-site' }],
    [ 'a browser that hides its origin', 'POST', login, { ...json, 'sec-fetch-site': 'cross-site' }],
    [ 'a form without body', 'POST', '/.account/account/', { 'content-length': '0', origin: evil }],
    [ 'http of the same host', 'POST', login, { ...json, origin: 'http://data.example' }],
    [ 'another port', 'DELETE', '/.account/x/', { origin: 'https://data.example:8443' }],
    [ 'a form that logs out', 'POST', '/.oidc/session/end/confirm', { 'content-type': form, origin: evil }],
  ])('is refused from another origin, with its cookie: %s.', (...[ , method, path, headers ]): void => {
    expect(refusalOf(method, path, headers)).toEqual([ 'foreign', false ]);
  });

  it('is accepted from another origin with a token, without a cookie.', (): void => {
    const token = { authorization: 'CSS-Account-Token x', origin: 'https://app.example', 'sec-fetch-site': 'cross-site' };
    expect(refusalOf('POST', '/.account/x/pod/', { ...json, ...token })).toEqual([ undefined, false ]);
    expect(refusalOf('GET', '/.account/', token)).toEqual([ undefined, false ]);
    expect(refusalOf('POST', '/.account/x/pod/', { 'content-type': form, ...token })).toEqual([ 'mediaType', false ]);
  });

  it.each<IncomingHttpHeaders>([
    { 'content-type': form },
    { 'content-type': 'text/plain' },
    { 'content-type': 'multipart/form-data; boundary=application/json' },
    { 'content-type': undefined },
    { 'content-type': form, 'content-length': undefined, 'transfer-encoding': 'chunked' },
  ])('must have a body of JSON: %j.', (headers): void => {
    expect(refusalOf('POST', login, headers)[0]).toBe('mediaType');
  });

  it.each<[string | undefined, IncomingHttpHeaders]>([
    [ undefined, { 'content-length': '65536' }],
    [ 'tooLarge', { 'content-length': '65537' }],
    [ 'tooLarge', { 'content-length': undefined, 'transfer-encoding': 'chunked' }],
    [ 'mediaType', { 'content-length': '65537', 'content-type': form }],
  ])('must have a body of at most 64 KiB, of declared length: %s for %j.', (refusal, headers): void => {
    expect(refusalOf('POST', login, { ...json, ...headers })[0]).toBe(refusal);
  });

  it.each([ 'GET', 'HEAD', 'OPTIONS' ])('has no larger body with %s, either.', (method): void => {
    const chunked = { 'content-length': undefined, 'transfer-encoding': 'chunked' };
    expect(refusalOf(method, login, { ...json, 'content-length': '65536' })[0]).toBeUndefined();
    expect(refusalOf(method, login, { ...json, 'content-length': '65537' })[0]).toBe('tooLarge');
    expect(refusalOf(method, '/.account/', { ...json, ...chunked })[0]).toBe('tooLarge');
    expect(refusalOf(method, '/ann/', { 'content-length': '65537' })[0]).toBeUndefined();
  });

  it('is not answered with a cookie that another page made the browser send.', (): void => {
    for (const headers of [
      { origin: evil },
      { 'sec-fetch-site': 'same-site', 'sec-fetch-mode': 'no-cors' },
      { 'sec-fetch-site': 'same-site', 'sec-fetch-mode': 'cors', origin: 'https://x.data.example' },
    ]) {
      expect(refusalOf('GET', '/.account/', headers)).toEqual([ undefined, false ]);
    }
  });
});
