'use strict';

const { execFileSync } = require('node:child_process');
const { createPublicKey, randomUUID } = require('node:crypto');
const { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } = require('node:fs');
const { join } = require('node:path');
const { setTimeout: delay } = require('node:timers/promises');
const { openRecords } = require('../../dist/storage/openRecords');
const { freePort } = require('../../demo/lib/freePort');
const { Nodes } = require('./Nodes');
const { pin, startProcess } = require('./processes');
const { writeShareables, writeShares } = require('./shareRows');
const { writePods, writeRecords } = require('./world');

const bin = join(__dirname, '../../bin/css-data-sharing.js');
const data = join(__dirname, '../../demo/data');
const css = join(__dirname, '../../node_modules/@solid/community-server/bin/server.js');

/**
 * A server under measurement.
 *
 * @typedef {object} Measured
 * @property {string} base - Base URL.
 * @property {number} port - Port of its base URL.
 * @property {number} pid - Process id.
 * @property {object} issuerKey - Private JWK of its own identity provider.
 * @property {() => Promise<void>} stop - Stops it and waits.
 */

/** Starts the stock Community Solid Server on files, with the world's pods. */
async function startStock(world, folder, core) {
  const port = await freePort();
  const base = `http://localhost:${port}/`;
  const root = join(folder, 'pods');
  mkdirSync(folder, { recursive: true });
  writePods(world, root, base, [ `${base}${world.consumers[0].name}#me` ]);
  const args = [ css, '-c', '@css:config/file.json', '-f', root, '-p', String(port), '-l', 'warn' ];
  const readyUrl = `${base}.well-known/openid-configuration`;
  const started = await startProcess({ args, readyUrl, logFile: join(folder, 'server.log'), cwd: folder });
  return measured(started, { base, port, root }, core);
}

/** Starts this package's server by its `bin`, with the world's pods, citizens and grants, and shares of the first citizen. */
async function startService(
  world,
  folder,
  core,
  { flags = {}, nodeFlags = [], port: given, prepared = true, shares = 0 } = {},
) {
  const port = given ?? await freePort();
  const base = `http://localhost:${port}/`;
  const root = join(folder, 'pods');
  mkdirSync(folder, { recursive: true });
  if (prepared) {
    await writeFilesOf(world, folder, base, shares);
  }
  const settings = settingsOf(folder, base, { port: String(port), ...writeShareables(world, folder), ...flags });
  const started = await startProcess({
    args: [ ...nodeFlags, ...argumentsOf(settings) ],
    readyUrl: `${base}v1/openapi.json`,
    logFile: join(folder, 'server.log'),
    cwd: folder,
  });
  const { records, keys } = settings;
  return { ...await measured(started, { base, port, root }, core, { records, keys }), folder };
}

/**
 * Starts this package's server on PostgreSQL and Redis with the same data: written as files and transferred by the
 * command `move`. The databases are URLs of empty servers.
 */
async function startOnPostgres(world, folder, core, { databases, flags = {}, nodeFlags = []}) {
  const port = await freePort();
  await writeToPostgres(world, folder, `http://localhost:${port}/`, databases);
  const all = { ...flagsOnPostgres(databases), ...flags };
  return startService(world, folder, core, { flags: all, nodeFlags, port, prepared: false });
}

/** Starts another node of a service on PostgreSQL, and returns both together as one server. */
async function startBeside(service, world, core, { databases, nodeFlags = []}) {
  const { base, folder } = service;
  const port = await freePort();
  const shared = { ...writeShareables(world, folder), ...flagsOnPostgres(databases) };
  const { child, stop } = await startProcess({
    args: [ ...nodeFlags, ...argumentsOf(settingsOf(folder, base, { baseUrl: base, port: String(port), ...shared })) ],
    readyUrl: `http://localhost:${port}/.health/ready`,
    logFile: join(folder, 'beside.log'),
    cwd: folder,
  });
  pin(child.pid, core);
  return { base, ports: [ service.port, port ], pids: [ service.pid, child.pid ], issuerKey: service.issuerKey, stop };
}

/**
 * Starts this package's server as two or more nodes on PostgreSQL and Redis. No node has a core of its own.
 *
 * @returns The started nodes, with the private JWK of their identity provider.
 */
async function startNodes(world, folder, { count, databases, flags = {}, nodeFlags = []}) {
  const port = await freePort();
  const base = `http://localhost:${port}/`;
  await writeToPostgres(world, folder, base, databases);
  const shareables = writeShareables(world, folder);
  const settings = settingsOf(folder, base, { baseUrl: base, ...shareables, ...flagsOnPostgres(databases), ...flags });
  const ports = [];
  while (ports.length < count) {
    ports.push(await freePort());
  }
  const nodes = new Nodes(ports.map((each, index) => ({
    args: [ ...nodeFlags, ...argumentsOf({ ...settings, port: String(each) }) ],
    port: each,
    logFile: join(folder, `node-${index}.log`),
    cwd: folder,
  })));
  await nodes.listen(port);
  try {
    // The first node makes the keys.
    for (const index of ports.keys()) {
      await nodes.start(index);
    }
    const issuerKey = { ...await sealedKey(settings), kid: await publishedKid(base) };
    return Object.assign(nodes, { base, issuerKey });
  } catch (error) {
    await nodes.stop();
    throw error;
  }
}

function settingsOf(folder, base, flags) {
  return {
    rootFilePath: join(folder, 'pods'),
    loggingLevel: 'warn',
    records: join(folder, 'records.sqlite'),
    keys: join(folder, 'keys'),
    purposes: join(data, 'purposes'),
    allowLoopback: 'true',
    nationalIssuers: base,
    ...flags,
  };
}

function flagsOnPostgres({ database, redis }) {
  return { config: join(__dirname, '../../config/postgres.json'), records: database, redis, rootFilePath: undefined };
}

/** Builds the command line of a server, for Node.js. */
function argumentsOf(settings) {
  return [ bin, ...options(settings) ];
}

/** Converts settings to options of a command line. */
function options(settings) {
  return Object.entries(settings).flatMap(([ name, value ]) => value === undefined ? [] : [ `--${name}`, value ]);
}

/** Writes the pods and records of a world to PostgreSQL, for services of that base URL that are not running. */
async function writeToPostgres(world, folder, base, databases) {
  await writeFilesOf(world, folder, base, 0);
  // Makes the files look like the data of a server that has run.
  const noted = { key: 'setup/current-base-url', payload: base };
  mkdirSync(join(folder, 'pods/.internal/setup'), { recursive: true });
  writeFileSync(join(folder, 'pods/.internal/setup/current-base-url$.json'), JSON.stringify(noted));
  const records = join(folder, 'records.sqlite');
  const keys = join(folder, 'keys');
  const rootFilePath = join(folder, 'pods');
  execFileSync(process.execPath, [ bin, 'move', '--records', records, '--rootFilePath', rootFilePath, '--keys', keys ], {
    cwd: folder,
    env: { ...process.env, CSS_MOVE_TO: databases.database },
    stdio: [ 'ignore', 'ignore', 'inherit' ],
  });
}

/** Writes pods and records as files, for a service that is not running. */
async function writeFilesOf(world, folder, base, shares) {
  const root = join(folder, 'pods');
  mkdirSync(folder, { recursive: true });
  writePods(world, root, base, []);
  const records = join(folder, 'records.sqlite');
  await writeRecords(world, { records, keys: join(folder, 'keys'), base });
  writeShares(world, { base, records, root, count: shares });
}

/** Starts the bare limit with the keys, grants and files of the service it is compared with. */
async function startLimit(world, service, folder, core) {
  const port = await freePort();
  const origin = `http://localhost:${port}/`;
  mkdirSync(folder, { recursive: true });
  const file = join(folder, 'limit.json');
  writeFileSync(file, JSON.stringify({
    issuerKey: createPublicKey({ key: service.issuerKey, format: 'jwk' }).export({ format: 'jwk' }),
    files: world.citizens.flatMap(({ large, resource }) => [ resource, ...large ? [ large ] : [] ]
      .map(path => [ origin + path, join(service.root, `${path}$.jsonld`) ])),
    grants: world.consumers.flatMap(({ grants, name }) => grants.map(({ citizen, id, large }) => [
      `${origin}.access/vc/${id}`,
      {
        recipient: `${service.base}${name}#me`,
        resource: origin + (large ? world.citizens[citizen].large : world.citizens[citizen].resource),
      },
    ])),
  }));
  const args = [ join(__dirname, 'limit.js'), file, String(port) ];
  const started = await startProcess({ args, readyUrl: `${origin}ready`, logFile: join(folder, 'limit.log') });
  pin(started.child.pid, core);
  return {
    base: origin,
    port,
    pid: started.child.pid,
    issuer: service.base,
    issuerKey: service.issuerKey,
    async stop() {
      started.child.kill('SIGKILL');
      await started.exited;
    },
  };
}

async function measured(started, { base, port, root }, core, sealed) {
  pin(started.child.pid, core);
  return {
    base,
    port,
    root,
    pid: started.child.pid,
    issuerKey: { ...await (sealed ? sealedKey(sealed) : storedKey(root)), kid: await publishedKid(base) },
    /** Kills stock servers, which do not stop cleanly under load. */
    async stop() {
      if (sealed) {
        await started.stop();
      } else {
        started.child.kill('SIGKILL');
        await started.exited;
      }
    },
  };
}

async function publishedKid(base) {
  const { jwks_uri: keys } = await (await fetch(`${base}.well-known/openid-configuration`)).json();
  return (await (await fetch(keys)).json()).keys[0].kid;
}

/** Reads the private key of the identity provider of this package's server. */
async function sealedKey({ records, keys }) {
  const { close, serverSecrets } = await openRecords({ records, keys, clock: now, newId: randomUUID, logger: console });
  const [ key ] = await serverSecrets.get('signing', () => Promise.reject(new Error('It has no key')));
  await close();
  return JSON.parse(key.toString());
}

function now() {
  return new Date();
}

/** Reads the private key of a stock server's identity provider, which is made at first use. */
async function storedKey(root) {
  const folder = join(root, '.internal/idp/keys');
  // The server responds before the file exists.
  for (let tries = 0; !existsSync(folder) && tries < 50; tries += 1) {
    await delay(100);
  }
  for (const name of readdirSync(folder)) {
    const stored = JSON.parse(readFileSync(join(folder, name), 'utf8'));
    const jwk = (stored.payload ?? stored).keys?.[0];
    if (jwk?.kty === 'EC') {
      return jwk;
    }
  }
  throw new Error(`No key of the identity provider in ${folder}`);
}

module.exports = { bin, css, flagsOnPostgres, options, startBeside, startLimit, startNodes, startOnPostgres, startService, startStock };
