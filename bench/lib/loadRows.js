'use strict';

// Measures memory under many reads, and reads of several processes on both cores.

const { join } = require('node:path');
const { setTimeout: delay } = require('node:timers/promises');
const { cpuMsOfAll, memoryMb, unpin } = require('./processes');
const { Requests } = require('./requests');
const { startService } = require('./servers');
const { median } = require('./summary');
const { makeWorld } = require('./world');

const batch = 5000;

/**
 * @param folder - Folder for the data of the server.
 * @param client - The load generator.
 * @param requests - All of them.
 *
 * @returns RSS in MiB after a tenth of the requests and after all of them, and their ratio.
 */
async function measureMemory(folder, client, requests) {
  const world = makeWorld({ consumers: 1000, citizens: 1000 });
  const server = await startService(world, folder, 0);
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
 * Compares reads by two workers with one store of proofs with reads by one process, alternating. All may use both cores.
 *
 * @returns CPU in milliseconds for a request, of all processes together, and requests per second, of each.
 */
async function measureWorkers(folder, client, { rounds, count }) {
  const world = makeWorld({ consumers: 1000, citizens: 1000 });
  const make = new Requests(world);
  const servers = {};
  try {
    servers.one = await startService(world, join(folder, 'one'), 0);
    servers.two = await startService(world, join(folder, 'two'), 0, { flags: { workers: '2' }});
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
    return Object.fromEntries(Object.keys(servers).map(name => [ name, {
      cpu: median(measured.map(results => results[name].cpu)),
      perSecond: median(measured.map(results => results[name].perSecond)),
    }]));
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

module.exports = { measureMemory, measureWorkers };
