'use strict';

const { mkdirSync, writeFileSync } = require('node:fs');
const { join } = require('node:path');
const { startProcess } = require('./startProcess');

/**
 * @typedef {import('./startProcess').Started} Started
 */

const root = join(__dirname, '../..');
const data = join(root, 'demo/data');

/**
 * Options for starting the data-sharing server.
 *
 * @typedef {object} ServerOptions
 * @property {string} folder - Folder for everything that the server writes; created if absent.
 * @property {number} port
 * @property {string} [config] - Name of a preset, `file.json` by default.
 * @property {string} [addition] - Name of a configuration to add to it.
 * @property {string[]} [nationalIssuers]
 * @property {import('./accounts').SeededAccount[]} [seed] - Accounts to make at this start.
 * @property {string} [loggingLevel] - `warn` by default.
 * @property {AbortSignal} [signal] - Ends the start.
 * @property {number} [readyMilliseconds] - Time limit of the start.
 * @property {Record<string, string | undefined>} [flags] - In addition to or instead of the usual ones; undefined
 * omits a flag.
 */

/**
 * Starts this package's server as an operator does, by its `bin`, with the example contracts, purposes, sources and
 * buildings unless the flags say otherwise. Needs a build.
 *
 * @param {ServerOptions} options
 *
 * @returns {Promise<Started & { base: string }>} Once it answers.
 */
async function startDataSharing(options) {
  const { folder, port } = options;
  mkdirSync(folder, { recursive: true });
  const base = `http://localhost:${port}/`;
  const flags = Object.entries({ ...usualFlags(options), ...options.flags })
    .flatMap(([ name, value ]) => value === undefined ? [] : [ value ].flat().flatMap(one => [ `--${name}`, one ]));
  const started = await startProcess({
    args: [ join(root, 'bin/css-data-sharing.js'), ...flags ],
    cwd: folder,
    logFile: join(folder, 'server.log'),
    readyUrl: `${base}v1/openapi.json`,
    signal: options.signal,
    readyMilliseconds: options.readyMilliseconds,
  });
  return { ...started, base };
}

/**
 * @param {ServerOptions} options
 *
 * @returns {Record<string, string | string[] | undefined>}
 */
function usualFlags({ folder, port, config = 'file.json', addition, nationalIssuers, seed, loggingLevel = 'warn' }) {
  return {
    config: [ config, addition ?? [] ].flat().map(name => join(root, 'config', name)),
    port: String(port),
    rootFilePath: join(folder, 'pods'),
    loggingLevel,
    nationalIssuers: nationalIssuers?.join(','),
    contracts: join(data, 'contracts'),
    purposes: join(data, 'purposes'),
    dataUsers: join(data, 'data-users'),
    sources: join(data, 'sources'),
    buildings: join(data, 'buildings'),
    records: join(folder, 'records.sqlite'),
    keys: join(folder, 'keys'),
    allowLoopback: 'true',
    registration: 'open',
    seedConfig: seed && writeSeed(join(folder, 'accounts.json'), seed),
  };
}

/**
 * @param {string} file
 * @param {import('./accounts').SeededAccount[]} accounts
 */
function writeSeed(file, accounts) {
  writeFileSync(file, JSON.stringify(accounts), { mode: 0o600 });
  return file;
}

/**
 * Starts the example national identity issuer in its own process.
 *
 * @param {object} options
 * @param {string} options.folder - For its keys and log; created if absent.
 * @param {number} options.port
 * @param {string} [options.service] - Base URL of the data-sharing service.
 * @param {number} [options.accessTokenSeconds] - An hour by default.
 * @param {AbortSignal} [options.signal] - Ends the start.
 *
 * @returns {Promise<Started & { issuer: string, jwksFile: string }>} Once it answers.
 */
async function startNational({ folder, port, service, accessTokenSeconds, signal }) {
  mkdirSync(folder, { recursive: true });
  const issuer = `http://localhost:${port}/`;
  const jwksFile = join(folder, 'jwks.json');
  const started = await startProcess({
    args: [
      join(root, 'demo/national-issuer/main.js'),
      '--port',
      String(port),
      '--jwks',
      jwksFile,
      ...service === undefined ? [] : [ '--service', service ],
      ...accessTokenSeconds === undefined ? [] : [ '--accessTokenSeconds', String(accessTokenSeconds) ],
    ],
    logFile: join(folder, 'national-issuer.log'),
    readyUrl: `${issuer}.well-known/openid-configuration`,
    signal,
  });
  return { ...started, issuer, jwksFile };
}

module.exports = { startDataSharing, startNational };
