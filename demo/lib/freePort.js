'use strict';

const { randomInt } = require('node:crypto');
const { once } = require('node:events');
const { createServer } = require('node:net');

// Below the range of outgoing connections (from 49152 by RFC 6335, section 6; from 32768 on Linux), so that none of
// them takes the port before the server does. Browsers refuse 10080.
const lowest = 10_100;
const beyond = 32_000;

/**
 * Finds a TCP port that nothing listens on, at random, so that programs that look at the same time find different ones.
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
