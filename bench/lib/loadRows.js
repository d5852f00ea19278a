'use strict';

// Measures memory under many reads, reads by several processes on both cores, and the time to replace a killed process.

const { readFileSync } = require('node:fs');
const { join } = require('node:path');
const { setTimeout: delay } = require('node:timers/promises');
const { cpuMsOfAll, memoryMb, startedAt, unpin } = require('./processes');
const { Requests } = require('./requests');
const { median } = require('./summary');
const { makeWorld } = require('./world');

const batch = 5000;
const listeningLine = /"process":"worker (\d+)"[^{}\n]*"message":"Listening to/u;

/**
 * @param folder - Folder for the data of the server.
 * @param client - The load generator.
 * @param options
 * @param options.start - Starts the service.
 * @param options.requests - All requests to send.
 *
 * @returns RSS in MiB after a tenth of the requests and after all of them, and their ratio.
 */
async function measureMemory(folder, client, { start, requests }) {
  const world = makeWorld({ consumers: 1000, citizens: 1000 });
  const server = await start(world, folder, 0);
  try {
    const make = new Requests(world);
    const first = requests / 10;
    await send(client, make, server, first);
    const before = memoryMb(server.pid).rss;
    await send(client, make, server, requests - first);
    const after = memoryMb(server.pid).rss;
    return { requests, before, after, growth: after / before };
  } finally {
    await server.stop();
  }
}

async function send(client, make, server, count) {
  for (let left = count; left > 0; left -= batch) {
    const job = { port: server.port, connections: 32, status: 200, requests: make.granted(server, Math.min(batch, left)) };
    await client.run(job, () => {});
  }
  await delay(2000);
}

/**
 * Compares reads by two workers that share a store of proofs with reads by one process, alternating. All may use both
 * cores.
 *
 * @returns CPU in milliseconds for a request, of all processes together, and requests each second, for each of the two;
 * the ratio of their rates as measured, with the load generator on the same cores; and the ratio computed from CPU, as
 * it would be with a core for each worker.
 */
async function measureWorkers(folder, client, { start, rounds, count }) {
  const world = makeWorld({ consumers: 1000, citizens: 1000 });
  const make = new Requests(world);
  const servers = {};
  try {
    servers.one = await start(world, join(folder, 'one'), 0);
    servers.two = await start(world, join(folder, 'two'), 0, { flags: { workers: '2' }});
    for (const { pid } of Object.values(servers)) {
      unpin(pid);
    }
    const measured = [];
    for (let round = -1; round < rounds; round += 1) {
      const results = {};
      for (const [ name, server ] of Object.entries(servers)) {
        results[name] = await measureReads(client, make, server, count);
      }
      if (round >= 0) {
        measured.push(results);
      }
    }
    return {
      ...Object.fromEntries(Object.keys(servers).map(name => [ name, {
        cpu: median(measured.map(results => results[name].cpu)),
        perSecond: median(measured.map(results => results[name].perSecond)),
      }])),
      throughput: median(measured.map(({ one, two }) => two.perSecond / one.perSecond)),
      byCpu: median(measured.map(({ one, two }) => 2 * one.cpu / two.cpu)),
    };
  } finally {
    await Promise.allSettled(Object.values(servers).map(server => server.stop()));
  }
}

async function measureReads(client, make, server, count) {
  const job = { port: server.port, connections: 32, status: 200, requests: make.granted(server, count) };
  let before;
  const { perSecond } = await client.run(job, () => {
    before = cpuMsOfAll(server.pid);
  });
  await delay(1200);
  return { perSecond, cpu: (cpuMsOfAll(server.pid) - before) / count };
}

/**
 * Starts two workers, then repeatedly kills one of them, and waits until its replacement listens.
 *
 * @returns In milliseconds: `afterFirst` from the first worker to the second; medians from the kill to the replacement, and
 * from the fork of the replacement.
 */
async function measureWorkerStarts(folder, { start, rounds }) {
  const world = makeWorld({ consumers: 2, citizens: 2 });
  const flags = { workers: '2', loggingLevel: 'info', logFormat: 'json' };
  const server = await start(world, folder, 0, { flags });
  unpin(server.pid);
  function log() {
    return readFileSync(join(folder, 'server.log'), 'utf8');
  }
  const killed = new Set();
  const measured = [];
  try {
    const [ one, other ] = (await untilServing(log, killed, 2)).map(pid => listeningAt(log(), pid));
    const afterFirst = other - one;
    for (let round = -1; round < rounds; round += 1) {
      const [ first ] = await untilServing(log, killed, 2);
      // The start is complete.
      await delay(3000);
      process.kill(first, 'SIGKILL');
      killed.add(first);
      const ended = Date.now();
      const last = (await untilServing(log, killed, 2)).at(-1);
      const listening = listeningAt(log(), last);
      if (round >= 0) {
        measured.push({ sinceKill: listening - ended, sinceFork: listening - startedAt(last) });
      }
    }
    const medians = [ 'sinceKill', 'sinceFork' ].map(name => [ name, median(measured.map(times => times[name])) ]);
    return { afterFirst, ...Object.fromEntries(medians) };
  } finally {
    await server.stop();
  }
}

/** Waits until this many workers serve, according to the server's log, and returns their process ids. */
async function untilServing(log, killed, count) {
  for (;;) {
    const serving = listeningPids(log()).filter(pid => !killed.has(pid));
    if (serving.length >= count) {
      return serving;
    }
    await delay(20);
  }
}

function listeningPids(log) {
  return log.split('\n').flatMap(line => listeningLine.exec(line)?.[1] ?? []).map(Number);
}

function listeningAt(log, pid) {
  const line = log.split('\n').find(each => Number(listeningLine.exec(each)?.[1]) === pid);
  // A killed worker may have left an incomplete line before it.
  return Date.parse(JSON.parse(line.slice(line.lastIndexOf('{"time"'))).time);
}

module.exports = { measureMemory, measureWorkers, measureWorkerStarts };
