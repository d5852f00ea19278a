'use strict';

// Measures cold starts and idle memory, alternating: the stock server and this package without data, and this package
// with the grants that bench/grants.js has written.

const { spawn } = require('node:child_process');
const { mkdirSync } = require('node:fs');
const { once } = require('node:events');
const { join } = require('node:path');
const { setTimeout: delay } = require('node:timers/promises');
const { freePort } = require('../../demo/lib/freePort');
const { newDatabase } = require('./databases');
const { cpuMs, memoryMb, pin } = require('./processes');
const { bin, css, flagsOnPostgres, options } = require('./servers');
const { median } = require('./summary');

const pollMs = 20;
const idleMs = 3000;

/**
 * @param folder - Folder for the data of the servers.
 * @param options
 * @param options.rounds - Starts of each.
 * @param options.granted - Folder with `records.sqlite` and `keys`, if there is one.
 * @param options.urls - Of PostgreSQL and Redis, for this package to use them.
 *
 * @returns Medians for each server: milliseconds until its first response, CPU until then, idle PSS in MiB, and the
 * median ratio of its time to that of stock in the same round.
 */
async function measureStarts(folder, { rounds, granted, urls }) {
  const kinds = [ 'stock', 'service', ...granted ? [ 'granted' ] : [] ];
  const measured = [];
  for (let round = 0; round < rounds; round += 1) {
    const results = {};
    for (let index = 0; index < kinds.length; index += 1) {
      const kind = kinds[(index + round) % kinds.length];
      results[kind] = await startOnce(kind, join(folder, `${kind}-${round}`), { granted, urls });
    }
    measured.push(results);
    console.error(`start ${round + 1} of ${rounds}: ${kinds.map(kind => `${kind} ${results[kind].ms.toFixed(0)} ms`).join('  ')}`);
  }
  return Object.fromEntries(kinds.map(kind => [ kind, {
    ms: median(measured.map(results => results[kind].ms)),
    cpu: median(measured.map(results => results[kind].cpu)),
    pss: median(measured.map(results => results[kind].pss)),
    ofStock: median(measured.map(results => results[kind].ms / results.stock.ms)),
  }]));
}

async function startOnce(kind, folder, { granted, urls }) {
  mkdirSync(folder, { recursive: true });
  const port = await freePort();
  const common = { port: String(port), rootFilePath: join(folder, 'pods'), loggingLevel: 'warn' };
  const args = kind === 'stock' ?
      [ css, ...options({ config: '@css:config/file.json', ...common }) ] :
      [ bin, ...options({ ...common, ...await storageOf(kind === 'granted' ? granted : folder, urls) }) ];
  const started = performance.now();
  const child = spawn(process.execPath, args, { cwd: folder, stdio: [ 'ignore', 'ignore', 'inherit' ]});
  const exited = once(child, 'exit');
  pin(child.pid, 0);
  try {
    await untilAnswered(child, `http://localhost:${port}/.well-known/openid-configuration`);
    const ms = performance.now() - started;
    const cpu = cpuMs(child.pid);
    await delay(idleMs);
    return { ms, cpu, pss: memoryMb(child.pid).pss };
  } finally {
    child.kill('SIGKILL');
    await exited;
  }
}

/** Returns the storage of a service: files in a folder, or a database of its own. */
async function storageOf(folder, urls) {
  const files = { records: join(folder, 'records.sqlite'), keys: join(folder, 'keys') };
  return urls ? { ...files, ...flagsOnPostgres({ ...urls, database: await newDatabase(urls.database) }) } : files;
}

async function untilAnswered(child, url) {
  for (;;) {
    try {
      const response = await fetch(url);
      await response.body?.cancel();
      if (response.status < 500) {
        return;
      }
    } catch {}
    if (child.exitCode !== null) {
      throw new Error(`The server ended with ${child.exitCode}`);
    }
    await delay(pollMs);
  }
}

module.exports = { measureStarts };
