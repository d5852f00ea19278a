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

/** Milliseconds that a thread has worked until now, and that it had to wait for a processor. */
function scheduled(/** @type {string} */ path) {
  return readFileSync(path, 'utf8').split(' ', 2).map(nanoseconds => Number(nanoseconds) / 1e6);
}

async function askForHealth() {
  // No name: its look-up would wait for those of the burst.
  const socket = connect({ port, host: '127.0.0.1' });
  socket.write('GET /.health/live HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n');
  await once(socket.resume(), 'close');
}

/**
 * Milliseconds that the main thread of the server worked until it answered. Waiting for a busy machine is not counted,
 * neither the server's nor that of this thread, during which the server may have gone on to other work.
 */
async function measure() {
  const [ before ] = scheduled(`/proc/${pid}/task/${pid}/schedstat`);
  const [ , waitedBefore ] = scheduled('/proc/thread-self/schedstat');
  await askForHealth();
  const [ after ] = scheduled(`/proc/${pid}/task/${pid}/schedstat`);
  const [ , waitedAfter ] = scheduled('/proc/thread-self/schedstat');
  return after - before - (waitedAfter - waitedBefore);
}

async function watch() {
  const over = new AbortController();
  parent.once('message', () => over.abort());
  let most = 0;
  while (!over.signal.aborted) {
    most = Math.max(most, await measure());
  }
  parent.postMessage(most);
}

watch();
