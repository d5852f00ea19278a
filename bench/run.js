'use strict';

// Figures and method: docs/performance.md

const help = `npm run bench -- [options]
Measures the figures of docs/performance.md, the stock server and a bare limit, prints them with their targets, and writes
JSON. Everything takes about 26 minutes, --quick about 5.

  --rows a,b         only these rows (see bench/lib/rows.js) and parts: ldp (15 pairs of plain GETs), credentials,
                     decisions (1,000 and 1,000,000 grants), webids (100 and 10,000 citizens), containers (with 100 and
                     10,000 members, and listings of 100,000), logins (with a national identity), starts, memory, workers, app (the citizen's pages in Chromium), events (pushes, and
                     pages of activity), plans (plan requests)
                     mixed (with --preset postgres, only when chosen: mixed load on two nodes, one of which is killed)
  --minutes 3        of the mixed load
  --rate 200         requests a second of the mixed load; default: half of what the nodes can take
  --preset postgres  the service on PostgreSQL and Redis, on servers that are started for it: rows of bench/lib/rows.js,
                     with the CPU of both and their statements and commands, webids and containers
  --statements       with it: prints the statements of each row
  --rounds 5         rounds of each row; figures are medians
  --quick            a short trial, without valid figures
  --json file        default bench/result.json
  --cpu-prof folder  profiles of the server of the rows, and where its time goes
`;

const { execFileSync, spawnSync } = require('node:child_process');
const { mkdtempSync, readFileSync, rmSync, writeFileSync } = require('node:fs');
const { cpus, tmpdir } = require('node:os');
const { join, resolve } = require('node:path');
const { setTimeout: delay } = require('node:timers/promises');
const { parseArgs } = require('node:util');
const { printRatios } = require('./lib/alternate');
const { measureApp } = require('./lib/appRows');
const { printBreakdown } = require('./lib/breakdown');
const { measureCredentials } = require('./lib/credentialRows');
const { Databases, newDatabase } = require('./lib/databases');
const { LoadClient } = require('./lib/LoadClient');
const { measureMemory, measureWorkers, measureWorkerStarts } = require('./lib/loadRows');
const { measureMixed } = require('./lib/mixedRows');
const { cpuMs } = require('./lib/processes');
const { Requests } = require('./lib/requests');
const { onPostgres, rows: onFiles } = require('./lib/rows');
const { startBeside, startLimit, startOnPostgres, startService, startStock } = require('./lib/servers');
const { makeWorld } = require('./lib/world');
const { measureStarts } = require('./lib/startRows');
const { printDatabases, printTable, ratio, difference, summarise } = require('./lib/summary');
const { compare, printTargets } = require('./lib/targets');

const urls = { database: process.env.DATABASE_URL, redis: process.env.REDIS_URL };
const serverCore = 0;
const clientCore = 1;

const { values: flags } = parseArgs({ options: {
  rows: { type: 'string' },
  rounds: { type: 'string' },
  preset: { type: 'string', default: 'file' },
  statements: { type: 'boolean', default: false },
  quick: { type: 'boolean', default: false },
  minutes: { type: 'string', default: '3' },
  rate: { type: 'string' },
  json: { type: 'string' },
  'cpu-prof': { type: 'string' },
  help: { type: 'boolean', default: false },
}});
const isOnPostgres = flags.preset === 'postgres';
const rows = isOnPostgres ? onPostgres : onFiles;
const chosen = flags.rows?.split(',') ?? (isOnPostgres ? [ ...rows.map(({ name }) => name), 'webids', 'containers' ] : undefined);
const rounds = Number(flags.rounds ?? (flags.quick ? 2 : 5));
/** Rounds for ratios near 1. */
const pairs = flags.quick ? rounds : Math.max(15, rounds);

async function main() {
  if (flags.help) {
    console.log(help);
    return;
  }
  if (isOnPostgres && !process.env.BENCH_SERVERS) {
    process.exitCode = runWithServers();
    return;
  }
  const folder = mkdtempSync(join(tmpdir(), 'css-data-sharing-bench-'));
  const client = new LoadClient(clientCore);
  try {
    const parts = {
      reads: await measureRows(join(folder, 'rows'), client),
      credentials: await part('credentials', () => measureCredentials(rounds)),
      memory: await part('memory', () =>
        measureMemory(join(folder, 'memory'), client, { start: startPreset, requests: flags.quick ? 10_000 : 100_000 })),
      workers: await part('workers', () =>
        measureWorkers(join(folder, 'workers'), client, { start: startPreset, rounds, count: flags.quick ? 1000 : 8000 })),
      workerStarts: await part('workers', () => measureWorkerStarts(join(folder, 'worker-starts'), { start: startPreset, rounds })),
      webids: await part('webids', () => runFile('webids.js', join(folder, 'webids.json'), [
        ...flags.quick ? [ '--citizens', '20,200', '--rounds', '1', '--each', '5' ] : [ '--rounds', String(rounds) ],
        '--preset',
        flags.preset,
      ]).summary),
      containers: await part('containers', () => runFile('containers.js', join(folder, 'containers.json'), [
        ...flags.quick ?
            [ '--members', '50,500', '--listed', '100,5000', '--rounds', '1', '--each', '10' ] :
            [ '--rounds', String(rounds) ],
        '--preset',
        flags.preset,
      ])),
      logins: await part('logins', () => runFile('logins.js', join(folder, 'logins.json'), flags.quick ?
          [ '--rounds', '1', '--each', '5' ] :
          [ '--rounds', String(rounds) ]).summary),
      decisions: await part('decisions', () => runFile('grants.js', join(folder, 'grants.json'), [
        ...flags.quick ? [ '--rows', '1000,10000' ] : [],
        '--keep',
        join(folder, 'grants'),
      ])),
      events: await part('events', () => runFile('events.js', join(folder, 'events.json'), flags.quick ?
          [ '--rows', '100,1000', '--events', '10', '--rounds', '1' ] :
          [ '--rounds', String(rounds) ])),
      plans: await part('plans', () => runFile('plans.js', join(folder, 'plans.json'), flags.quick ?
          [ '--zones', '1000', '--overlays', '100', '--requests', '100,1000', '--package', '5' ] :
          [])),
      starts: await part('starts', () => measureStarts(join(folder, 'starts'), {
        rounds,
        granted: !isOnPostgres && isChosen('decisions') ? join(folder, 'grants') : undefined,
        urls: isOnPostgres ? urls : undefined,
      })),
    };
    parts.mixed = isOnPostgres ?
        await part('mixed', () => measureMixed(join(folder, 'mixed'), {
          urls,
          minutes: Number(flags.minutes),
          rate: flags.rate === undefined ? undefined : Number(flags.rate),
          nodeFlags: profiled(),
        })) :
      undefined;
    parts.app = await part('app', () => measureApp(join(folder, 'app'), { rounds }));
    report(parts);
  } finally {
    client.stop();
    rmSync(folder, { recursive: true, force: true });
  }
}

/** Runs this command again with PostgreSQL and Redis servers of its own. */
function runWithServers() {
  const [ node, script, ...args ] = [ process.execPath, __filename, ...process.argv.slice(2) ];
  return spawnSync(join(__dirname, '../scripts/with-servers.sh'), [ node, script, ...args ], {
    env: {
      ...process.env,
      BENCH_SERVERS: 'yes',
      POSTGRES_OPTIONS: '-c shared_preload_libraries=pg_stat_statements -c pg_stat_statements.max=10000',
    },
    stdio: 'inherit',
  }).status;
}

/** Measures a part, if selected. Prints its name first, because most parts take minutes. */
async function part(name, measurePart) {
  if (isChosen(name)) {
    console.error(name);
    return measurePart();
  }
}

function isChosen(name) {
  return !chosen || chosen.includes(name);
}

/** Runs a separate benchmark on the core of the servers. */
function runFile(name, json, args) {
  const file = join(__dirname, name);
  const onCore = [ 'taskset', '-c', String(serverCore), process.execPath ];
  const [ command, ...before ] = name === 'grants.js' ? onCore : [ process.execPath ];
  execFileSync(command, [ ...before, file, '--json', json, ...args ], { stdio: [ 'ignore', 'inherit', 'inherit' ]});
  return JSON.parse(readFileSync(json, 'utf8'));
}

/** Measures the rows in rounds, with servers that run side by side. */
async function measureRows(folder, client) {
  const selected = rows.filter(({ name, always, isPair }) => !isPair && (isChosen(name) || always));
  const paired = isChosen('ldp') ? rows.filter(({ name, isPair }) => isPair || name === 'stock-get') : [];
  if (selected.every(({ always }) => always) && paired.length === 0) {
    return { summary: [], measured: [], paired: []};
  }
  const fullSize = isOnPostgres ? 200 : 1000;
  const size = flags.quick ? 100 : fullSize;
  const world = makeWorld({ consumers: size, citizens: size, revocations: isOnPostgres ? 2000 : 0 });
  const servers = {};
  try {
    servers.stock = await startStock(world, join(folder, 'stock'), serverCore);
    servers.service = await startMeasured(world, join(folder, 'service'), selected);
    if (selected.some(({ server }) => server === 'silent')) {
      const nodeFlags = [ '--require', join(__dirname, 'lib/withoutEvents.js') ];
      servers.silent = await startService(world, join(folder, 'silent'), serverCore, { nodeFlags });
    }
    if (selected.some(({ server }) => server === 'nodes')) {
      servers.nodes = await startBeside(servers.service, world, serverCore, { databases: urls, nodeFlags: profiled() });
    }
    servers.databases = isOnPostgres ? await Databases.connect(urls) : undefined;
    servers.limit = await startLimit(world, servers.service, join(folder, 'limit'), serverCore);
    const context = { servers, client, requests: new Requests(world), world, warm: new Map() };
    await warmUp([ ...selected, ...paired ], context);
    const measured = await runRounds(selected, rounds, context);
    const measuredPairs = paired.length > 0 ? await runRounds(paired, pairs, context) : [];
    return {
      summary: [ ...summarise(selected, measured), ...summarise(paired, measuredPairs).filter(({ name }) => name !== 'stock-get') ],
      measured,
      paired: measuredPairs,
    };
  } finally {
    await Promise.allSettled(Object.values(servers).map(server => server?.stop()));
    if (flags['cpu-prof'] && servers.service) {
      printBreakdown(resolve(flags['cpu-prof']));
    }
  }
}

/** The service on the storage of the preset, on PostgreSQL in a database of its own. */
async function startPreset(world, folder, core, options = {}) {
  return isOnPostgres ?
      startOnPostgres(world, folder, core, { ...options, databases: { ...urls, database: await newDatabase(urls.database) }}) :
      startService(world, folder, core, options);
}

/** Flags of Node.js for a server that may be profiled. */
function profiled() {
  return flags['cpu-prof'] ? [ '--cpu-prof', `--cpu-prof-dir=${resolve(flags['cpu-prof'])}` ] : [];
}

/** The service, on the storage of the preset. */
async function startMeasured(world, folder, selected) {
  const nodeFlags = profiled();
  if (isOnPostgres) {
    return startOnPostgres(world, folder, serverCore, { databases: urls, nodeFlags });
  }
  const shares = selected.some(({ name }) => name === 'share-after-10000') ? 10_000 : 0;
  return startService(world, folder, serverCore, { nodeFlags, shares });
}

async function warmUp(selected, context) {
  for (const row of selected) {
    try {
      await measure(row, context, flags.quick ? 0.2 : 0.5);
    } catch (error) {
      throw new Error(`The row ${row.name} cannot be measured`, { cause: error });
    }
  }
}

/** Runs every row once in each round, in rotating order, so that none always follows the same one. */
async function runRounds(selected, times, context) {
  const measured = [];
  for (let round = 0; round < times; round += 1) {
    const results = {};
    for (let index = 0; index < selected.length; index += 1) {
      const row = selected[(index + round) % selected.length];
      results[row.name] = await measure(row, context, flags.quick ? 0.3 : 1);
    }
    measured.push(results);
    console.error(`round ${round + 1} of ${times}: ${Object.entries(results)
      .map(([ name, { cpu }]) => `${name} ${cpu.toFixed(3)}`).join('  ')}`);
  }
  return measured;
}

/** Makes the server fetch profiles and keys, which it keeps for 120 s, before a run. */
async function refresh(row, { client, requests, servers, warm, world }) {
  const server = servers[row.server];
  const name = `${row.server} ${row.name.endsWith('bearer')}`;
  if (Date.now() - (warm.get(name) ?? 0) > 60_000) {
    const count = row.server === 'stock' ? 4 : row.callers ?? world.consumers.length;
    await client.run({
      port: server.port,
      ports: server.ports,
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
  const databases = [ 'nodes', 'service' ].includes(row.server) ? servers.databases : undefined;
  const count = Math.max(8, Math.round(row.count * scale));
  if (row.before) {
    const prepared = { port: server.port, connections: 4, status: 201, requests: await row.before(requests, server, count) };
    await client.run(prepared, () => {});
  }
  const job = {
    port: server.port,
    ports: server.ports,
    connections: row.connections ?? 32,
    status: row.status ?? 200,
    requests: await row.requests(requests, server, count),
  };
  let before;
  const asked = await databases?.read();
  const result = await client.run(job, () => {
    before = cpuOf(server);
  });
  // Counts later writes, such as audit rows, for the row that caused them.
  await delay(1200);
  return { ...result, cpu: (cpuOf(server) - before) / count, ...await databases?.since(asked, count) };
}

/** Returns the CPU time of all processes of a server. */
function cpuOf({ pid, pids = [ pid ]}) {
  return pids.reduce((sum, each) => sum + cpuMs(each), 0);
}

function report({ reads, ...parts }) {
  const compared = compare({
    ...parts,
    figure: (name, figure) => reads.summary.find(row => row.name === name)?.[figure],
    ratio: (name, of, figure) => ofRounds(ratio, reads, name, of, figure),
    difference: (name, of, figure) => ofRounds(difference, reads, name, of, figure),
  });
  if (reads.summary.length > 0) {
    printTable(reads.summary);
  }
  if (isOnPostgres) {
    const last = Object.entries(reads.measured.at(-1) ?? {}).filter(([ , { texts }]) => flags.statements && texts);
    printDatabases(reads.summary, Object.fromEntries(last.map(([ name, { texts }]) => [ name, texts ])));
  }
  if (parts.credentials) {
    printRatios(parts.credentials);
  }
  const { app, memory, starts, workers, workerStarts } = parts;
  for (const [ name, figures ] of Object.entries({ app, memory, starts, workers, workerStarts }).filter(([ , measured ]) => measured)) {
    console.log(`${name}: ${JSON.stringify(figures)}`);
  }
  printTargets(compared);
  const machine = { cores: cpus().length, model: cpus()[0].model, node: process.version };
  const file = flags.json ?? join(__dirname, 'result.json');
  const result = { at: new Date().toISOString(), machine, rounds, targets: compared, ...parts, ...reads };
  writeFileSync(file, `${JSON.stringify(result, null, 2)}\n`);
}

/** Returns the figures of the pairs, for rows measured in pairs; nothing when a row is missing. */
function ofRounds(compareRounds, { measured, paired }, name, of, figure) {
  const found = [ paired, measured ].find(([ first ]) => first?.[name] && first[of]);
  return found && compareRounds(found, name, of, figure);
}

main().then(() => process.exit(), (error) => {
  console.error(error);
  process.exit(1);
});
