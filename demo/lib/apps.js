'use strict';

const { readFileSync } = require('node:fs');
const { createServer } = require('node:http');
const { join } = require('node:path');
const { build } = require('esbuild');
const { listenLocally } = require('./listenLocally');

const folder = join(__dirname, '../apps');

/** The example apps: folders and names. */
const names = /** @type {const} */ ({ citizen: 'Share a diploma', 'data-user': 'Read what was shared' });

/**
 * @typedef {{ type: string, body: string }} Document
 */

/**
 * Serves an example app for browsers on its own origin: its page, its script bundled with libraries, and its client id
 * document.
 *
 * @param {object} options
 * @param {keyof typeof names} options.app
 * @param {number} options.port
 * @param {string} options.service - Base URL of the data-sharing service.
 * @param {string} options.issuer - URL of the national issuer.
 *
 * @returns {Promise<{ base: string, close: () => Promise<void> }>} Once it listens on the loopback interface.
 */
async function startApp({ app, port, service, issuer }) {
  const base = `http://localhost:${port}/`;
  /** @type {Record<string, Document>} */
  const documents = {
    '/': { type: 'text/html; charset=utf-8', body: readFileSync(join(folder, app, 'index.html'), 'utf8') },
    '/style.css': { type: 'text/css; charset=utf-8', body: readFileSync(join(folder, 'style.css'), 'utf8') },
    '/app.js': { type: 'text/javascript; charset=utf-8', body: await bundle(join(folder, app, 'app.mjs')) },
    '/settings.json': { type: 'application/json', body: JSON.stringify({ service, issuer }) },
    '/id.jsonld': { type: 'application/ld+json', body: JSON.stringify(clientDocument(base, names[app])) },
  };
  const server = createServer((request, response) => {
    const { type, body } = documents[(request.url ?? '').split('?', 1)[0]] ?? { type: 'text/plain', body: undefined };
    response.writeHead(body === undefined ? 404 : 200, { 'content-type': type }).end(body ?? 'Not found');
  });
  return listenLocally(server, port);
}

/**
 * Bundles a script and its imports as one module for browsers.
 *
 * @param {string} file
 */
async function bundle(file) {
  const { outputFiles: [{ text }] } = await build({
    entryPoints: [ file ],
    bundle: true,
    write: false,
    format: 'esm',
    platform: 'browser',
    target: 'es2022',
    logLevel: 'error',
  });
  return text;
}

/**
 * @param {string} base - Base URL of the app.
 * @param {string} name
 *
 * @see [Solid-OIDC, section 5.1](https://solidproject.org/TR/oidc#clientids-document)
 */
function clientDocument(base, name) {
  return {
    '@context': [ 'https://www.w3.org/ns/solid/oidc-context.jsonld' ],
    client_id: `${base}id.jsonld`,
    client_name: name,
    client_uri: base,
    redirect_uris: [ base ],
    post_logout_redirect_uris: [ base ],
    grant_types: [ 'authorization_code', 'refresh_token' ],
    response_types: [ 'code' ],
    scope: 'openid webid offline_access',
    token_endpoint_auth_method: 'none',
  };
}

module.exports = { startApp };
