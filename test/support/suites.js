'use strict';

const { readdirSync, readFileSync } = require('node:fs');
const { join } = require('node:path');

const root = join(__dirname, '..');

/** Integration suites that would test nothing new on PostgreSQL: docs/architecture.md gives the reasons. */
const onFilesOnly = /[\\/](?:backup|docs|existingServer|extensions|nationalIssuer|serverAlone|startUp)\.test\.ts$/u;
/** The servers' addresses: a suite that imports them cannot run without. */
const servers = /from '[./]+\/support\/postgres'/u;
/** The storages that a suite runs over. */
const storages = /\{[^}]*\b(?:places|emptyPlaces|stores)\b[^}]*\} from '[./\w]*\/(?:places|valueStores)'/u;

const suites = [ ...listSuites('unit'), ...listSuites('integration') ];

/** Suites that need PostgreSQL or Redis. */
const onServersOnly = suites.filter(path => servers.test(readFileSync(path, 'utf8')));
/** Suites that `npm run test:postgres` runs: these, the stories, and the unit suites over each storage. */
const onServers = suites.filter(path => onServersOnly.includes(path) ||
  (isIntegration(path) ? !onFilesOnly.test(path) : storages.test(readFileSync(path, 'utf8'))));
/** Suites that run with each preset, one kind of access control by `npm test` and the other by `npm run test:apart`. */
const onPresets = suites.filter(path => /from '\.\.\/support\/presets'/u.test(readFileSync(path, 'utf8')));
/** Suites that only `npm run test:apart` runs, for their time. */
const onlyApart = suites.filter(path => /integration[\\/](?:bursts|existingServer)\.test/u.test(path));

/**
 * @param {string} kind - Folder of tests.
 */
function listSuites(kind) {
  return readdirSync(join(root, kind), { recursive: true, encoding: 'utf8' })
    .filter(name => name.endsWith('.test.ts'))
    .map(name => join(root, kind, name));
}

/**
 * @param {string} path
 */
function isIntegration(path) {
  return path.startsWith(join(root, 'integration'));
}

/**
 * Patterns for Jest.
 *
 * @param {string[]} paths
 */
function patternsOf(paths) {
  return paths.map(path => `^${path.replaceAll(/[$()*+.?[\\\]^{|}]/gu, String.raw`\$&`)}$`);
}

module.exports = {
  onlyApart: patternsOf(onlyApart),
  onPresets: patternsOf(onPresets),
  onServers: patternsOf(onServers),
  onServersOnly: patternsOf(onServersOnly),
};
