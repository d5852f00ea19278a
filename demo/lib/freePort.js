'use strict';

const { randomInt } = require('node:crypto');
const { once } = require('node:events');
const { createServer } = require('node:net');

// Below the ports of outgoing connections (from 49152 by RFC 6335, section 6; from 32768 on Linux), so that none of
// them takes the port before the server does. Browsers refuse 10080.
const lowest = 10_104;
const beyond = 32_000;
// Each of Jest's workers tries its own eighth of the ports.
const lanes = 8;
const lane = Number(process.env.JEST_WORKER_ID ?? randomInt(lanes)) % lanes;
/** Ports that were found in this process, whose servers may not listen yet, or may start again. */
const given = new Set();

/**
 * Finds a random free TCP port, so that programs that search at the same time find different ones. In one process, no
 * port is found twice.
 *
 * @returns {Promise<number>}
 */
async function freePort() {
  const port = lowest + lane + lanes * randomInt((beyond - lowest) / lanes);
  if (given.has(port)) {
    return freePort();
  }
  given.add(port);
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
