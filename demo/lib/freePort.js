'use strict';

const { once } = require('node:events');
const { createServer } = require('node:net');

/**
 * A TCP port that nobody listens on at the moment.
 *
 * @returns {Promise<number>}
 */
async function freePort() {
  const server = createServer().listen(0);
  await once(server, 'listening');
  const { port } = /** @type {import('node:net').AddressInfo} */ (server.address());
  server.close();
  await once(server, 'close');
  return port;
}

module.exports = { freePort };
