'use strict';

const { once } = require('node:events');
const { createServer } = require('node:http');
const { promisify } = require('node:util');
const { openToBrowsers } = require('./cors');
const { handleInteraction } = require('./interaction');
const { errorPage, pageHeaders, style } = require('./pages');
const { createProvider } = require('./provider');
const { findWebId } = require('./webIds');

/**
 * Starts the example national identity issuer: an OpenID provider for fictitious citizens, for trials and tests.
 *
 * @param {object} options
 * @param {number} options.port
 * @param {import('./directory').Directory} options.directory
 * @param {import('./keys').PrivateJwks} options.jwks
 * @param {string} [options.service] - Base URL of the data-sharing service, which knows the WebIDs. Without it no
 * token has a WebID.
 * @param {number} [options.accessTokenSeconds] - An hour by default.
 *
 * @returns {Promise<{ issuer: string, close: () => Promise<void> }>} Once it listens on the loopback interface.
 */
async function startNationalIssuer({ port, directory, jwks, service, accessTokenSeconds }) {
  const issuer = `http://localhost:${port}/`;
  const provider = await createProvider({
    issuer,
    jwks,
    directory,
    accessTokenSeconds,
    service,
    findWebId: async citizen => service === undefined ?
      undefined :
        findWebId({ service, issuer, jwks, citizen }),
  });
  const answerProtocol = provider.callback();
  // Longer than clients and proxies keep idle connections, so that none sends a request on one that is being closed.
  const server = createServer({ keepAliveTimeout: 75_000 }, (request, response) => {
    if (openToBrowsers(request, response)) {
      return;
    }
    if (request.url === '/style.css') {
      response.writeHead(200, { 'content-type': 'text/css; charset=utf-8' }).end(style);
    } else if (request.url?.startsWith('/interaction/')) {
      handleInteraction(provider, directory, request, response).catch(() => sendExpired(response));
    } else {
      answerProtocol(request, response).catch(() => response.destroy());
    }
  });
  server.listen(port, 'localhost');
  await once(server, 'listening');
  return {
    issuer,
    async close() {
      const closed = promisify(server.close.bind(server))();
      server.closeAllConnections();
      await closed;
    },
  };
}

/**
 * @param {import('node:http').ServerResponse} response
 */
function sendExpired(response) {
  response.writeHead(400, pageHeaders).end(errorPage('This log-in has expired.'));
}

module.exports = { startNationalIssuer };
