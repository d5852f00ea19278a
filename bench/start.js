'use strict';

// Node bench/start.js [--rounds 5]
// Start and idle memory beside the stock server, both with no data: docs/performance.md

const { mkdtempSync, rmSync } = require('node:fs');
const { tmpdir } = require('node:os');
const { join } = require('node:path');
const { setTimeout: delay } = require('node:timers/promises');
const { parseArgs } = require('node:util');
const { freePort } = require('../demo/lib/freePort');
const { startProcess } = require('../demo/lib/startProcess');
const { cpuMs, memoryMb } = require('./lib/processes');
const { median } = require('./lib/summary');

const { values: flags } = parseArgs({ options: { rounds: { type: 'string', default: '5' }}});
const stock = join(__dirname, '../node_modules/@solid/community-server/bin/server.js');
const service = join(__dirname, '../bin/css-data-sharing.js');
const servers = {
  stock: [ stock, '-c', '@css:config/file.json' ],
  service: [ service, '--nationalIssuers', 'https://issuer.example/' ],
};
const figures = [ 'cpu', 'ms', 'pss', 'rss' ];

async function main() {
  const measured = [];
  for (let round = -1; round < Number(flags.rounds); round += 1) {
    const names = round % 2 === 0 ? [ 'stock', 'service' ] : [ 'service', 'stock' ];
    const results = {};
    for (const name of names) {
      results[name] = await measure(servers[name]);
    }
    // The first fills the disk cache.
    if (round >= 0) {
      measured.push(results);
      console.error(`round ${round + 1}: ${JSON.stringify(results)}`);
    }
  }
  console.log('| | stock | service | ratio | difference |\n|---|---|---|---|---|');
  for (const figure of figures) {
    const [ one, two ] = [ 'stock', 'service' ].map(name => median(measured.map(round => round[name][figure])).toFixed(0));
    const ratio = median(measured.map(round => round.service[figure] / round.stock[figure]));
    const difference = median(measured.map(round => round.service[figure] - round.stock[figure]));
    console.log(`| ${figure} | ${one} | ${two} | ${ratio.toFixed(3)} | ${difference.toFixed(0)} |`);
  }
}

/** CPU and time until the first answer, in milliseconds; memory 5 seconds later, in MiB. */
async function measure(args) {
  const folder = mkdtempSync(join(tmpdir(), 'css-data-sharing-bench-'));
  const port = await freePort();
  try {
    const started = performance.now();
    const server = await startProcess({
      args: [ ...args, '-f', join(folder, 'pods'), '-p', String(port), '-l', 'warn' ],
      readyUrl: `http://localhost:${port}/.well-known/openid-configuration`,
      logFile: join(folder, 'server.log'),
      cwd: folder,
    });
    const ms = performance.now() - started;
    const cpu = cpuMs(server.child.pid);
    await delay(5000);
    const memory = memoryMb(server.child.pid);
    server.child.kill('SIGKILL');
    await server.exited;
    return { cpu, ms, ...memory };
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

main().then(() => process.exit(0), (error) => {
  console.error(error);
  process.exit(1);
});
