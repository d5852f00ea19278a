'use strict';

// Npm run bench -- [--rows a,b] [--rounds 5] [--quick] [--json file] [--cpu-prof folder]
// What is measured and how: docs/performance.md

const { mkdtempSync, rmSync, writeFileSync } = require('node:fs');
const { cpus, tmpdir } = require('node:os');
const { join, resolve } = require('node:path');
const { setTimeout: delay } = require('node:timers/promises');
const { parseArgs } = require('node:util');
const { printRatios } = require('./lib/alternate');
const { printBreakdown } = require('./lib/breakdown');
const { measureCredentials } = require('./lib/credentialRows');
const { LoadClient } = require('./lib/LoadClient');
const { cpuMs } = require('./lib/processes');
const { Requests } = require('./lib/requests');
const { rows } = require('./lib/rows');
const { startLimit, startService, startStock } = require('./lib/servers');
const { makeWorld } = require('./lib/world');
const { printTable, summarise } = require('./lib/summary');

const serverCore = 0;
const clientCore = 1;

const { values: flags } = parseArgs({ options: {
  rows: { type: 'string' },
  rounds: { type: 'string' },
  quick: { type: 'boolean', default: false },
  json: { type: 'string' },
  'cpu-prof': { type: 'string' },
}});

async function main() {
  const chosen = flags.rows?.split(',');
  const selected = rows.filter(({ name, always }) => !chosen || chosen.includes(name) || always);
  const rounds = Number(flags.rounds ?? (flags.quick ? 2 : 5));
  const folder = mkdtempSync(join(tmpdir(), 'css-data-sharing-bench-'));
  const size = flags.quick ? 100 : 1000;
  const world = makeWorld({ consumers: size, citizens: size });
  const servers = {};
  const client = new LoadClient(clientCore);
  try {
    servers.stock = await startStock(world, join(folder, 'stock'), serverCore);
    const nodeFlags = flags['cpu-prof'] ? [ '--cpu-prof', `--cpu-prof-dir=${resolve(flags['cpu-prof'])}` ] : [];
    servers.service = await startService(world, join(folder, 'service'), serverCore, {
      nodeFlags,
      shares: selected.some(({ name }) => name === 'share-after-10000') ? 10_000 : 0,
    });
    servers.limit = await startLimit(world, servers.service, join(folder, 'limit'), serverCore);
    const context = { servers, client, requests: new Requests(world), world, warm: new Map() };
    await warmUp(selected, context);
    const measured = await runRounds(selected, rounds, context);
    const credentials = chosen && !chosen.includes('credentials') ? [] : await measureCredentials(rounds);
    report(summarise(selected, measured), credentials, rounds, measured);
  } finally {
    client.stop();
    await Promise.allSettled(Object.values(servers).map(server => server.stop()));
    if (flags['cpu-prof'] && servers.service) {
      printBreakdown(resolve(flags['cpu-prof']));
    }
    rmSync(folder, { recursive: true, force: true });
  }
}

async function warmUp(selected, context) {
  for (const row of selected) {
    await measure(row, context, flags.quick ? 0.2 : 0.5);
  }
}

/** Each round runs every row once, in an order that turns, so that none always follows the same one. */
async function runRounds(selected, rounds, context) {
  const measured = [];
  for (let round = 0; round < rounds; round += 1) {
    const results = {};
    for (let index = 0; index < selected.length; index += 1) {
      const row = selected[(index + round) % selected.length];
      results[row.name] = await measure(row, context, flags.quick ? 0.3 : 1);
    }
    measured.push(results);
    console.error(`round ${round + 1} of ${rounds}: ${Object.entries(results)
      .map(([ name, { cpu }]) => `${name} ${cpu.toFixed(3)}`).join('  ')}`);
  }
  return measured;
}

/** Profiles and keys are known for 120 s: they are asked for before a run, not within it. */
async function refresh(row, { client, requests, servers, warm, world }) {
  const server = servers[row.server];
  const name = `${row.server} ${row.name.endsWith('bearer')}`;
  if (Date.now() - (warm.get(name) ?? 0) > 60_000) {
    const count = row.server === 'stock' ? 4 : world.consumers.length;
    await client.run({
      port: server.port,
      connections: 4,
      status: row.status ?? 200,
      requests: await row.requests(requests, server, count),
    }, () => {});
    warm.set(name, Date.now());
  }
}

async function measure(row, context, scale) {
  await refresh(row, context);
  const { servers, client, requests } = context;
  const server = servers[row.server];
  const count = Math.max(8, Math.round(row.count * scale));
  const job = {
    port: server.port,
    connections: row.connections ?? 32,
    status: row.status ?? 200,
    requests: await row.requests(requests, server, count),
  };
  let before;
  const result = await client.run(job, () => {
    before = cpuMs(server.pid);
  });
  // What is written later, such as audit rows, is paid for by the row that caused it.
  await delay(1200);
  return { ...result, cpu: (cpuMs(server.pid) - before) / count };
}

function report(summary, credentials, rounds, measured) {
  printTable(summary);
  if (credentials.length > 0) {
    printRatios(credentials);
  }
  const machine = { cores: cpus().length, model: cpus()[0].model, node: process.version };
  const file = flags.json ?? join(__dirname, 'result.json');
  writeFileSync(file, `${JSON.stringify({ at: new Date().toISOString(), machine, rounds, summary, credentials, measured }, null, 2)}\n`);
}

main().then(() => process.exit(0), (error) => {
  console.error(error);
  process.exit(1);
});
