'use strict';

const { once } = require('node:events');
const { readFileSync } = require('node:fs');
const { connect } = require('node:net');
const { parentPort, workerData } = require('node:worker_threads');

/**
 * A separate thread, which the load on the server does not delay: polls the health of the server, again and
 * again on a new connection, until it is sent a message. It sends back the longest processing time meanwhile.
 */

const { port, pid } = workerData;
const parent = /** @type {import('node:worker_threads').MessagePort} */ (parentPort);

/** Returns the milliseconds that a thread has worked until now, and those it waited for a processor. */
function scheduled(/** @type {string} */ path) {
  return readFileSync(path, 'utf8').split(' ', 2).map(nanoseconds => Number(nanoseconds) / 1e6);
}

async function askForHealth() {
  // Not a name: its look-up would wait for those of the burst.
  const socket = connect({ port, host: '127.0.0.1' });
  socket.write('GET /.health/live HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n');
  await once(socket.resume(), 'close');
}

/**
 * Returns the milliseconds that the server's main thread worked until it responded. Waiting for a busy machine does
 * not count, neither the server's nor this thread's, during which the server may have continued with other work.
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
