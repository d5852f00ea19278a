'use strict';

const { randomUUID } = require('node:crypto');
const { readFileSync } = require('node:fs');
const { createServer } = require('node:http');
const { join } = require('node:path');
const { createClientCredentials, logInToAccount } = require('./accounts');
const { Client } = require('./Client');
const { listenLocally } = require('./listenLocally');
const { logInByClientCredentials } = require('./tokens');

const style = readFileSync(join(__dirname, '../apps/style.css'), 'utf8');
// Firefox requests an icon, and reports that request as a violation of the policy.
const policy =
  `default-src 'none'; style-src 'self'; img-src 'self'; frame-ancestors 'none'; base-uri 'none'; form-action 'none'`;

/**
 * @typedef {{ status?: number, title: string, body: string, headers?: Record<string, string> }} Page
 */

/**
 * Starts the site of the example data user: a button that sends citizens to the service's pages, and the page to which
 * they return, where the site's server reads the shared data. It uses no scripts.
 *
 * @param {object} options
 * @param {number} options.port
 * @param {string} options.service - Base URL of the data-sharing service.
 * @param {import('./accounts').Login & { webId: string }} options.dataUser - Its account there.
 * @param {string} [options.contract] - Id.
 *
 * @returns {Promise<{ base: string, close: () => Promise<void> }>} Once it listens on the loopback interface.
 */
async function startDataUserSite({ port, service, dataUser, contract = 'diploma-employment' }) {
  const base = `http://localhost:${port}/`;
  const account = await logInToAccount(service, dataUser);
  const credentials = await createClientCredentials(account, dataUser.webId);

  /**
   * The page with the button. `state` binds the response to this browser (RFC 9700, section 4.7).
   *
   * @returns {Page}
   */
  function ask() {
    const state = randomUUID();
    const query = new URLSearchParams({ contract, redirect_uri: `${base}shared`, state });
    return {
      title: 'Apply for a job at Meerling Bank',
      body: `<p>We need to know whether you have the degree that is required.</p>
<p><a href="${escape(`${service}.app/share?${query}`)}">Share your diploma</a></p>`,
      headers: { 'set-cookie': `state=${state}; HttpOnly; SameSite=Lax; Path=/shared` },
    };
  }

  /**
   * The page to which citizens return.
   *
   * @param {URLSearchParams} answer
   * @param {string} cookie
   *
   * @returns {Promise<Page>}
   */
  async function receive(answer, cookie) {
    const state = answer.get('state');
    if (state === null || !cookie.split('; ').includes(`state=${state}`)) {
      return { status: 400, title: 'This answer is not yours', body: '<p><a href="/">Begin again</a></p>' };
    }
    if (answer.get('error') !== null) {
      return { title: 'You shared nothing', body: '<p>You can bring your diploma with you, too.</p>' };
    }
    const client = await logInByClientCredentials(await Client.withDpop(), service, credentials);
    const grants = answer.getAll('access_grant');
    const items = await Promise.all(answer.getAll('resource').slice(0, 50).map(async(resource, at) =>
      `<li>${escape(await read(client, resource, grants[at] ?? ''))}</li>`));
    return { title: 'Thank you', body: `<p>We read:</p><ul>${items.join('')}</ul>` };
  }

  /**
   * Reads the shared data. The parameters of the page prove nothing; only the service's response counts.
   *
   * @param {Client} client
   * @param {string} resource
   * @param {string} grant
   *
   * @returns {Promise<string>}
   */
  async function read(client, resource, grant) {
    const url = `${service}v1/resources?${new URLSearchParams({ resource, verified: 'true' })}`;
    const response = await client.request('GET', url, { headers: { 'x-access-grant': grant }});
    return response.ok ? response.text() : `Nothing: the service answered ${response.status}`;
  }

  /**
   * @param {string} target - Of the request.
   * @param {string} cookie
   *
   * @returns {Promise<Page>}
   */
  async function answer(target, cookie) {
    const { pathname, searchParams } = new URL(target, base);
    switch (pathname) {
      case '/': return ask();
      case '/shared': return receive(searchParams, cookie);
      default: return { status: 404, title: 'Not found', body: '' };
    }
  }

  const server = createServer((request, response) => {
    if (request.url === '/style.css') {
      response.writeHead(200, { 'content-type': 'text/css; charset=utf-8' }).end(style);
      return;
    }
    // Browsers request it by themselves.
    if (request.url === '/favicon.ico') {
      response.writeHead(204).end();
      return;
    }
    answer(request.url ?? '/', request.headers.cookie ?? '')
      .catch(() => /** @type {Page} */ ({ status: 500, title: 'Something went wrong', body: '' }))
      .then(({ status = 200, title, body, headers = {}}) => response.writeHead(status, {
        'content-type': 'text/html; charset=utf-8',
        'content-security-policy': policy,
        'referrer-policy': 'no-referrer',
        'cache-control': 'no-store',
        ...headers,
      }).end(`<!doctype html>
<html lang="en">
<head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">
<title>${title}</title><link rel="stylesheet" href="/style.css"></head>
<body><main><h1>${title}</h1>${body}</main></body>
</html>`));
  });
  return listenLocally(server, port);
}

/**
 * Text in HTML.
 *
 * @param {string} text
 */
function escape(text) {
  return text.replaceAll(/[&<>"]/gu, character => `&#${character.codePointAt(0)};`);
}

module.exports = { startDataUserSite };
