'use strict';

const { createHash, randomBytes } = require('node:crypto');
const { json } = require('./json');
const { passServicePage } = require('./servicePages');

/**
 * @typedef {import('./Client').Client} Client
 * @typedef {{ id: string, secret: string }} ClientCredentials
 * @typedef {{ access_token: string, id_token?: string, refresh_token?: string, token_type: string }} Tokens
 */

const formType = { 'content-type': 'application/x-www-form-urlencoded' };
const redirectUri = 'http://localhost:8080/callback';
const scope = 'openid webid offline_access';

/**
 * Logs in an app with client credentials.
 *
 * @param {Client} client - With a DPoP key for a bound token, without one for a Bearer token.
 * @param {string} issuer
 * @param {ClientCredentials} credentials
 *
 * @returns {Promise<Client>} The client with its token.
 *
 * @see [RFC 6749, section 4.4](https://www.rfc-editor.org/rfc/rfc6749#section-4.4)
 */
async function logInByClientCredentials(client, issuer, { id, secret }) {
  const { token_endpoint: endpoint } = await discover(issuer);
  const basic = Buffer.from(`${encodeURIComponent(id)}:${encodeURIComponent(secret)}`).toString('base64');
  const tokens = await requestTokens(client, endpoint, {
    grant_type: 'client_credentials',
    scope: 'webid',
  }, { authorization: `Basic ${basic}` });
  return client.withToken(tokens.access_token);
}

/**
 * Logs a citizen in, as an app and a browser would: the app registers itself at the issuer, the citizen picks a name on
 * the login page, the app exchanges the code. The issuer is the example national issuer, or the service, whose pages
 * redirect to it.
 *
 * @param {Client} client
 * @param {string} issuer
 * @param {string} citizen - Id at the national issuer.
 *
 * @returns {Promise<{ client: Client, tokens: Tokens, asked: string[] }>} The client with the citizen's token, and the
 * service's questions to the citizen.
 *
 * @see [OpenID Connect Core, section 3.1](https://openid.net/specs/openid-connect-core-1_0.html#CodeFlowAuth)
 */
async function logInByCode(client, issuer, citizen) {
  const endpoints = await discover(issuer);
  const clientId = await registerApp(endpoints.registration_endpoint);
  const verifier = randomBytes(32).toString('base64url');
  const request = new URL(endpoints.authorization_endpoint);
  request.search = new URLSearchParams({
    response_type: 'code',
    client_id: clientId,
    redirect_uri: redirectUri,
    scope,
    prompt: 'consent',
    code_challenge: createHash('sha256').update(verifier).digest('base64url'),
    code_challenge_method: 'S256',
  }).toString();
  const { asked, code } = await authorizeInBrowser(request.href, citizen);
  const tokens = await requestTokens(client, endpoints.token_endpoint, {
    grant_type: 'authorization_code',
    client_id: clientId,
    redirect_uri: redirectUri,
    code,
    code_verifier: verifier,
  });
  return { client: client.withToken(tokens.access_token), tokens, asked };
}

/**
 * @param {string} issuer
 *
 * @returns {Promise<Record<'authorization_endpoint' | 'registration_endpoint' | 'token_endpoint', string>>}
 */
async function discover(issuer) {
  const response = await fetch(new URL('.well-known/openid-configuration', issuer));
  return json(response, 200);
}

/**
 * @param {string} endpoint
 *
 * @returns {Promise<string>} The app's `client_id`.
 */
async function registerApp(endpoint) {
  const response = await fetch(endpoint, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({
      client_name: 'Demo app',
      application_type: 'native',
      redirect_uris: [ redirectUri ],
      grant_types: [ 'authorization_code', 'refresh_token' ],
      token_endpoint_auth_method: 'none',
    }),
  });
  const { client_id: clientId } = await json(response, 201);
  return clientId;
}

/**
 * Acts for a browser and its user, from the app's request to its redirect URI.
 *
 * @param {string} url
 * @param {string} citizen
 *
 * @returns {Promise<{ code: string, asked: string[] }>} The authorization code, and the service's questions.
 */
async function authorizeInBrowser(url, citizen) {
  /** @type {Map<string, string>} */
  const cookies = new Map();
  /** @type {string[]} */
  const asked = [];
  let next = url;
  while (!next.startsWith(redirectUri)) {
    const page = await visit(next, cookies);
    const target = page.headers.get('location') ?? await (new URL(next).pathname.startsWith('/.account/') ?
        passServicePage(next, async(to, init) => visit(to, cookies, init), asked) :
        submitLogin(next, page, cookies, citizen));
    next = new URL(target, next).href;
  }
  const answer = new URL(next).searchParams;
  const code = answer.get('code');
  if (!code) {
    throw new Error(`The login was refused: ${answer.get('error_description')}`);
  }
  return { asked, code };
}

/**
 * @param {string} url
 * @param {Response} page
 * @param {Map<string, string>} cookies
 * @param {string} citizen
 *
 * @returns {Promise<string>} Where the browser is sent next.
 */
async function submitLogin(url, page, cookies, citizen) {
  const action = /<form method="post" action="(?<action>[^"]+)"/u.exec(await page.text())?.groups?.action;
  if (!action) {
    throw new Error(`${new URL(url).pathname} answered ${page.status} without a login form`);
  }
  const body = new URLSearchParams({ citizen, answer: 'login' });
  const submitted = await visit(new URL(action, url).href, cookies, { method: 'POST', headers: formType, body });
  const target = submitted.headers.get('location');
  if (!target) {
    throw new Error(`The login form answered ${submitted.status}`);
  }
  return target;
}

/**
 * @param {string} url
 * @param {Map<string, string>} cookies - Sent, and brought up to date.
 * @param {RequestInit} [init]
 */
async function visit(url, cookies, init = {}) {
  const cookie = [ ...cookies ].map(([ name, value ]) => `${name}=${value}`).join('; ');
  const response = await fetch(url, { ...init, redirect: 'manual', headers: { ...init.headers, cookie }});
  for (const line of response.headers.getSetCookie()) {
    const { name, value } = /^(?<name>[^=]+)=(?<value>[^;]*)/u.exec(line)?.groups ?? {};
    cookies.set(name, value);
  }
  return response;
}

/**
 * @param {Client} client
 * @param {string} endpoint
 * @param {Record<string, string>} parameters
 * @param {Record<string, string>} [headers]
 *
 * @returns {Promise<Tokens>}
 */
async function requestTokens(client, endpoint, parameters, headers = {}) {
  const response = await client.withToken().request('POST', endpoint, {
    headers: { ...formType, ...headers },
    body: new URLSearchParams(parameters).toString(),
  });
  return json(response, 200);
}

module.exports = { logInByClientCredentials, logInByCode };
