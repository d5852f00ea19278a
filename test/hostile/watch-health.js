'use strict';

const { once } = require('node:events');
const { readFileSync } = require('node:fs');
const { connect } = require('node:net');
const { parentPort, workerData } = require('node:worker_threads');

/**
 * A thread of its own, which those who load the server don't hold up: asks for the health of the server, again and
 * again on a new connection, until it is sent something. It sends back the most that the server worked on meanwhile.
 */

const { port, pid } = workerData;
const parent = /** @type {import('node:worker_threads').MessagePort} */ (parentPort);

/** Milliseconds that the server's main thread has worked until now. Waiting for a busy machine is not counted. */
function worked() {
  return Number(readFileSync(`/proc/${pid}/task/${pid}/schedstat`, 'utf8').split(' ', 1)[0]) / 1e6;
}

async function askForHealth() {
  const socket = connect({ port, host: 'localhost', autoSelectFamily: true });
  socket.write('GET /.health/live HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n');
  await once(socket.resume(), 'close');
}

async function watch() {
  const over = new AbortController();
  parent.once('message', () => over.abort());
  let most = 0;
  while (!over.signal.aborted) {
    const before = worked();
    await askForHealth();
    most = Math.max(most, worked() - before);
  }
  parent.postMessage(most);
}

watch();
