'use strict';

// Node bench/containers.js [--preset postgres] [--members 100,10000] [--listed 100,100000] [--rounds 5] [--json file]
// Measures operations on a resource in a container with few and with many members, compared with the stock server on
// files, and listings of containers: time to the first byte, and memory.
// On PostgreSQL: POSTGRES_OPTIONS='-c shared_preload_libraries=pg_stat_statements' scripts/with-servers.sh \
//   node bench/containers.js --preset postgres

const { copyFileSync, mkdtempSync, readdirSync, rmSync, writeFileSync } = require('node:fs');
const { get } = require('node:http');
const { tmpdir } = require('node:os');
const { join } = require('node:path');
const { setTimeout: delay } = require('node:timers/promises');
const { parseArgs } = require('node:util');
const { connected, Databases, emptyDatabases } = require('./lib/databases');
const { LoadClient } = require('./lib/LoadClient');
const { cpuMs, peakMemoryMb } = require('./lib/processes');
const { Requests } = require('./lib/requests');
const { startOnPostgres, startService, startStock } = require('./lib/servers');
const { median } = require('./lib/summary');
const { makeWorld } = require('./lib/world');

const { values: flags } = parseArgs({ options: {
  preset: { type: 'string', default: 'file' },
  members: { type: 'string', default: '100,10000' },
  listed: { type: 'string', default: '100,100000' },
  rounds: { type: 'string', default: '5' },
  each: { type: 'string', default: '50' },
  json: { type: 'string' },
}});
const isOnPostgres = flags.preset === 'postgres';
const rounds = Number(flags.rounds);
const each = Number(flags.each);
/** Members read in small listings before memory is compared: as many as in one large listing. */
const listings = 3;

async function main() {
  const folder = mkdtempSync(join(tmpdir(), 'css-data-sharing-bench-'));
  const world = makeWorld({ consumers: 4, citizens: 4 });
  const bench = { client: new LoadClient(1), make: new Requests(world), servers: {}};
  try {
    const [ few, many ] = flags.members.split(',').map(Number);
    bench.servers.stock = await startStock(world, join(folder, 'stock'), 0);
    bench.servers.service = await startMeasured(world, join(folder, 'service'));
    bench.databases = isOnPostgres ? await Databases.connect(bench.servers.service.databases) : undefined;
    await fill(bench, 'stock', many);
    for (const count of new Set([ few, many, ...flags.listed.split(',').map(Number) ])) {
      await fill(bench, 'service', count);
    }
    const rows = await measureRows(bench, few, many);
    const listed = await measureListings(bench, ...flags.listed.split(',').map(Number));
    report({ rows, listed });
  } finally {
    bench.client.stop();
    await Promise.allSettled([ ...Object.values(bench.servers), bench.databases ].map(each => each?.stop()));
    rmSync(folder, { recursive: true, force: true });
  }
}

async function startMeasured(world, folder) {
  if (!isOnPostgres) {
    return startService(world, folder, 0);
  }
  const databases = await emptyDatabases('containers', 1);
  return { ...await startOnPostgres(world, folder, 0, { databases }), databases };
}

/** Returns the path of the container for a number of members. The caller may do everything there. */
function containerOf(count) {
  return `written/of-${count}/`;
}

/** Makes a container with this many documents: writes one to the server, and copies it in the server's storage. */
async function fill({ client, make, servers }, name, count) {
  const server = servers[name];
  const first = `${containerOf(count)}d0`;
  const job = { port: server.port, connections: 1, status: 201, requests: [ make.write(server, server.base + first) ]};
  await client.run(job, () => {});
  await (server.databases ? copyRows(server.databases.database, first, count) : copyFiles(join(server.root, first), count));
}

async function copyRows(connectionString, first, count) {
  await connected(connectionString, async(client) => {
    await client.query(`insert into pod_resources (path, parent, content_type, metadata, modified, size, body)
      select replace(path, 'd0', 'd' || i), parent, content_type, replace(metadata, 'd0', 'd' || i), modified + i, size, body
      from pod_resources, generate_series(1, ${count - 1}) as i where path = '/${first}'`);
    await client.query('vacuum analyze pod_resources');
  });
}

function copyFiles(first, count) {
  const folder = first.slice(0, -2);
  const [ file ] = readdirSync(folder);
  for (let index = 1; index < count; index += 1) {
    copyFileSync(join(folder, file), join(folder, file.replace('d0', `d${index}`)));
  }
}

/** Measures reads, creations and deletions in each container, in rotating order. The first round is a warm-up. */
async function measureRows(bench, few, many) {
  const containers = [[ 'stock', many ], [ 'service', few ], [ 'service', many ]];
  const kinds = [ 'get', 'put', 'delete' ];
  const measured = [];
  for (let round = -1; round < rounds; round += 1) {
    const results = {};
    for (const kind of kinds) {
      for (let index = 0; index < containers.length; index += 1) {
        const [ name, count ] = containers[(index + round + 1) % containers.length];
        results[`${kind} ${name} ${count}`] = await measure(bench, kind, name, count);
      }
    }
    if (round >= 0) {
      measured.push(results);
      console.error(`round ${round + 1}: ${Object.entries(results).map(([ name, { cpu }]) => `${name} ${cpu.toFixed(2)}`).join('  ')}`);
    }
  }
  return kinds.map((kind) => {
    const [ stock, small, large ] = containers.map(container => [ kind, ...container ].join(' '));
    return {
      kind,
      members: many,
      ...Object.fromEntries(Object.entries({ stock, small, large }).map(([ name, row ]) =>
        [ name, median(measured.map(round => round[row].cpu)) ])),
      ofStock: median(measured.map(round => round[large].cpu / round[stock].cpu)),
      ofSmall: median(measured.map(round => round[large].cpu / round[small].cpu)),
      ...isOnPostgres && {
        databaseSmall: median(measured.map(round => round[small].databaseCpu)),
        databaseLarge: median(measured.map(round => round[large].databaseCpu)),
      },
    };
  });
}

async function measure({ client, databases, make, servers }, kind, name, count) {
  const server = servers[name];
  const base = server.base + containerOf(count);
  const urls = Array.from({ length: each }, (_, index) => `${base}${kind === 'get' ? 'd' : 'n'}${index + 1}`);
  const request = {
    get: url => ({ method: 'GET', url, ...make.credentials(server, make.world.consumers[0], 'DPoP') }),
    put: url => make.write(server, url),
    delete: url => ({ method: 'DELETE', url, ...make.credentials(server, make.world.consumers[0], 'DPoP') }),
  }[kind];
  const asked = name === 'service' ? await databases?.read() : undefined;
  const before = cpuMs(server.pid);
  const status = { get: 200, put: 201, delete: 205 }[kind];
  await client.run({ port: server.port, connections: 4, status, requests: urls.map(request) }, () => {});
  await delay(1200);
  return { cpu: (cpuMs(server.pid) - before) / each, ...asked && await databases.since(asked, each) };
}

/** Lists a small container until as many members are read as the large one has, and then the large one. */
async function measureListings({ make, servers: { service }}, few, many) {
  const { token } = make.credentials(service, make.world.consumers[0], 'Bearer');
  function list(count) {
    return timeListing(service.base + containerOf(count), token, count);
  }
  const small = [];
  for (let index = 0; index < listings * many / few; index += 1) {
    small.push(await list(few));
  }
  const before = peakMemoryMb(service.pid);
  const large = [];
  for (let index = 0; index < listings; index += 1) {
    large.push(await list(many));
  }
  const after = peakMemoryMb(service.pid);
  return {
    members: many,
    firstByteMs: median(large.map(({ firstByteMs }) => firstByteMs)),
    firstByteOfNewMs: large[0].firstByteMs,
    firstByteOfSmallMs: median(small.map(({ firstByteMs }) => firstByteMs)),
    ms: median(large.map(({ ms }) => ms)),
    before,
    after,
    growth: after / before,
  };
}

/** Reads a listing as a stream, and counts its members. */
async function timeListing(url, token, count) {
  const started = performance.now();
  const response = await new Promise((resolve, reject) => {
    get(url, { headers: { accept: 'application/n-triples', authorization: `Bearer ${token}` }}, resolve).once('error', reject);
  });
  const firstByteMs = performance.now() - started;
  let members = 0;
  let rest = '';
  for await (const chunk of response) {
    const lines = (rest + chunk).split('\n');
    rest = lines.pop();
    members += lines.filter(line => line.includes('ldp#contains')).length;
  }
  if (response.statusCode !== 200 || members !== count) {
    throw new Error(`Answered ${response.statusCode} with ${members} members`);
  }
  return { firstByteMs, ms: performance.now() - started };
}

function report(measured) {
  console.log('| in a container | CPU ms, stock | few | many | of stock | of few |\n|---|---|---|---|---|---|');
  for (const { kind, ofSmall, ofStock, ...cpu } of measured.rows) {
    console.log(`| ${[ kind, ...[ cpu.stock, cpu.small, cpu.large, ofStock, ofSmall ].map(each => each.toFixed(3)) ].join(' | ')} |`);
  }
  console.log(`listings: ${JSON.stringify(measured.listed)}`);
  if (flags.json) {
    writeFileSync(flags.json, `${JSON.stringify(measured, null, 2)}\n`);
  }
}

main().then(() => process.exit(0), (error) => {
  console.error(error);
  process.exit(1);
});
