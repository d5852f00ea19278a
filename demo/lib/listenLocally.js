'use strict';

const { once } = require('node:events');
const { promisify } = require('node:util');

/**
 * Starts a server on the loopback interface.
 *
 * @param {import('node:http').Server} server
 * @param {number} port
 *
 * @returns {Promise<{ base: string, close: () => Promise<void> }>} Its address, with a trailing slash, and its stop.
 */
async function listenLocally(server, port) {
  server.listen(port, 'localhost');
  await once(server, 'listening');
  return {
    base: `http://localhost:${port}/`,
    async close() {
      const closed = promisify(server.close.bind(server))();
      server.closeAllConnections();
      await closed;
    },
  };
}

module.exports = { listenLocally };
