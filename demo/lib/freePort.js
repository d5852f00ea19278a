'use strict';

const { randomInt } = require('node:crypto');
const { once } = require('node:events');
const { createServer } = require('node:net');

// Below what operating systems give to outgoing connections (RFC 6335 §6 suggests from 49152, Linux begins at 32768):
// none of those takes the port before the server does that it is for. Browsers refuse 10080.
const lowest = 10_100;
const beyond = 32_000;

/**
 * A TCP port that nobody listens on at the moment, by chance, so that programs that look for one at once find two.
 *
 * @returns {Promise<number>}
 */
async function freePort() {
  const port = randomInt(lowest, beyond);
  return await isFree(port) ? port : freePort();
}

/**
 * @param {number} port
 */
async function isFree(port) {
  const server = createServer();
  try {
    server.listen(port);
    await once(server, 'listening');
  } catch (error) {
    if (/** @type {NodeJS.ErrnoException} */ (error).code === 'EADDRINUSE') {
      return false;
    }
    throw error;
  }
  server.close();
  await once(server, 'close');
  return true;
}

module.exports = { freePort };
