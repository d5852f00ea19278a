'use strict';

// Node bench/webids.js [--preset postgres] [--citizens 100,10000] [--rounds 5] [--each 20] [--json file]
//   [--cpu-prof folder]
// Measures a new citizen's WebID and pod, compared with the stock server's account, password and pod on files:
// docs/performance.md. On PostgreSQL: scripts/with-servers.sh node bench/webids.js

const { randomUUID } = require('node:crypto');
const { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } = require('node:fs');
const { tmpdir } = require('node:os');
const { dirname, join, relative, resolve } = require('node:path');
const { createPrivateKey, randomBytes } = require('node:crypto');
const { setTimeout: delay } = require('node:timers/promises');
const { parseArgs } = require('node:util');
const { createAccount, createPod } = require('../demo/lib/accounts');
const { cloneRows, Databases, emptyDatabases, readRows } = require('./lib/databases');
const { cpuMs } = require('./lib/processes');
const { flagsOnPostgres, startService, startStock } = require('./lib/servers');
const { median } = require('./lib/summary');
const { accessToken } = require('./lib/tokens');
const { fictitiousNumber, makeWorld, writeCitizens } = require('./lib/world');

const { values: flags } = parseArgs({ options: {
  preset: { type: 'string', default: 'file' },
  citizens: { type: 'string', default: '100,10000' },
  rounds: { type: 'string', default: '5' },
  each: { type: 'string', default: '20' },
  json: { type: 'string' },
  'cpu-prof': { type: 'string' },
}});
const stockPods = 100;
const uuid = /[\da-f]{8}-[\da-f]{4}-[\da-f]{4}-[\da-f]{4}-[\da-f]{12}/gu;
let serial = 500_000;

async function main() {
  const folder = mkdtempSync(join(tmpdir(), 'css-data-sharing-bench-'));
  const world = makeWorld({ consumers: 2, citizens: 2 });
  const sizes = flags.citizens.split(',').map(Number);
  const servers = [];
  try {
    servers.push(await stockWith(stockPods, world, join(folder, 'stock')));
    for (const [ index, size ] of sizes.entries()) {
      servers.push(await serviceWith(size, world, join(folder, `service-${size}`), index));
    }
    const measured = await runRounds(servers, Number(flags.rounds));
    report(servers.map(({ name }) => name), measured);
  } finally {
    await Promise.allSettled(servers.map(server => server.stop()));
    await Promise.allSettled(servers.map(server => server.databases?.stop()));
    rmSync(folder, { recursive: true, force: true });
  }
}

async function stockWith(count, world, folder) {
  const server = await startStock(world, folder, 0);
  const before = filesBelow(server.root);
  await createByAccount(server);
  cloneFiles(server.root, before, count - 1);
  return { ...server, name: `stock, ${count} pods`, create: async() => createByAccount(server) };
}

async function createByAccount({ base }) {
  const account = await createAccount(base, { email: `${randomUUID()}@example.org`, password: 'a long password' });
  await createPod(account, randomUUID());
}

/** Makes a server with one citizen, stops it, and starts it again with this many clones of that citizen. */
async function serviceWith(count, world, folder, index) {
  const databases = flags.preset === 'postgres' ? await emptyDatabases(`citizens_${count}`, index) : undefined;
  const settings = databases ? flagsOnPostgres(databases) : {};
  const first = await startService(world, folder, 0, { prepared: false, flags: settings });
  const before = databases ? await readRows(databases.database) : filesBelow(first.root);
  await createCitizen(first);
  const ids = databases ?
      await cloneRows(databases.database, before, count - 1) :
      cloneFiles(first.root, before, count - 1);
  await first.stop();
  const citizens = ids.map((id, serial) => ({ id, number: fictitiousNumber(serial) }));
  const records = databases?.database ?? join(folder, 'records.sqlite');
  await writeCitizens(citizens, { records, keys: join(folder, 'keys'), base: first.base });
  const profile = flags['cpu-prof'] && [ '--cpu-prof', `--cpu-prof-dir=${resolve(flags['cpu-prof'])}` ];
  const server = await startService(world, folder, 0, {
    prepared: false,
    port: first.port,
    nodeFlags: profile ?? [],
    flags: settings,
  });
  return {
    ...server,
    name: `service, ${count} citizens`,
    create: async() => createCitizen(server),
    databases: databases && await Databases.connect(databases),
  };
}

async function createCitizen({ base, issuerKey }) {
  serial += 1;
  const token = accessToken({
    issuerKey: createPrivateKey({ key: issuerKey, format: 'jwk' }),
    kid: issuerKey.kid,
    issuer: base,
    claims: { sub: `citizen-${serial}`, citizen_national_id: fictitiousNumber(serial) },
  });
  const response = await fetch(`${base}v1/webids`, { method: 'PUT', headers: { authorization: `Bearer ${token}` }});
  if (response.status !== 201) {
    throw new Error(`Answered ${response.status}: ${await response.text()}`);
  }
  await response.text();
}

function filesBelow(root) {
  return new Set(readdirSync(root, { recursive: true, withFileTypes: true })
    .filter(entry => entry.isFile())
    .map(entry => relative(root, join(entry.parentPath ?? entry.path, entry.name)))
    .filter(path => !/^\.internal\/(?:locks|tempFiles)/u.test(path)));
}

/** Copies the new files, each time with other ids. Returns the ids that replace the id of the pod. */
function cloneFiles(root, before, count) {
  const added = [ ...filesBelow(root) ].filter(path => !before.has(path));
  const contents = added.map(path => readFileSync(join(root, path), 'utf8'));
  const pod = added.find(path => path.endsWith('card$.ttl')).split('/')[0];
  return Array.from({ length: count }, () => {
    const ids = new Map();
    function other(text) {
      for (const [ id ] of text.matchAll(uuid)) {
        ids.set(id, ids.get(id) ?? randomUUID());
      }
      return text.replaceAll(uuid, id => ids.get(id));
    }
    for (const [ index, path ] of added.entries()) {
      // Long keys are stored by their hash.
      const file = join(root, other(path).replace(/[\da-f]{64}/u, () => randomBytes(32).toString('hex')));
      mkdirSync(dirname(file), { recursive: true });
      writeFileSync(file, other(contents[index]));
    }
    return ids.get(pod);
  });
}

/** Measures all servers once in each round, in rotating order. The first round is a warm-up. */
async function runRounds(servers, rounds) {
  const measured = [];
  for (let round = -1; round < rounds; round += 1) {
    const results = {};
    for (let index = 0; index < servers.length; index += 1) {
      const server = servers[(index + round + 1) % servers.length];
      results[server.name] = await measure(server);
    }
    if (round >= 0) {
      measured.push(results);
      console.error(`round ${round + 1}: ${Object.entries(results)
        .map(([ name, { cpu, ms }]) => `${name}: ${cpu.toFixed(1)} ms CPU, ${ms.toFixed(1)} ms`).join('; ')}`);
    }
  }
  return measured;
}

async function measure({ create, databases, pid }) {
  const count = Number(flags.each);
  const asked = await databases?.read();
  const before = cpuMs(pid);
  const started = performance.now();
  for (let index = 0; index < count; index += 1) {
    await create();
  }
  const ms = (performance.now() - started) / count;
  await delay(1200);
  return { cpu: (cpuMs(pid) - before) / count, ms, ...await databases?.since(asked, count) };
}

function report(names, measured) {
  const summary = names.map(name => ({
    name,
    cpu: median(measured.map(round => round[name].cpu)),
    ms: median(measured.map(round => round[name].ms)),
    databaseCpu: median(measured.map(round => round[name].databaseCpu ?? Number.NaN)),
    cpuOfStock: median(measured.map(round => round[name].cpu / round[names[0]].cpu)),
    cpuOfFirst: median(measured.map(round => round[name].cpu / round[names[1]].cpu)),
  }));
  console.log('| server | CPU ms | ms | CPU of stock | CPU of the smaller | CPU ms of PostgreSQL |\n|---|---|---|---|---|---|');
  for (const { name, cpu, databaseCpu, ms, cpuOfStock, cpuOfFirst } of summary) {
    console.log(`| ${[
      name,
      cpu.toFixed(1),
      ms.toFixed(1),
      cpuOfStock.toFixed(3),
      cpuOfFirst.toFixed(2),
      databaseCpu.toFixed(2),
    ].join(' | ')} |`);
  }
  if (flags.json) {
    writeFileSync(flags.json, `${JSON.stringify({ at: new Date().toISOString(), summary, measured }, null, 2)}\n`);
  }
}

main().then(() => process.exit(0), (error) => {
  console.error(error);
  process.exit(1);
});
