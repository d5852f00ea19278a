// Installs the packed package into an empty folder, as an operator would, runs commands with common mistakes, and starts
// the server in both ways: with a preset by the package's own command, and as an added configuration of a stock server.
// Each start is checked by a request for the OpenAPI document.
const { execFileSync, spawn, spawnSync } = require('node:child_process');
const { once } = require('node:events');
const { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } = require('node:fs');
const { createServer } = require('node:net');
const { tmpdir } = require('node:os');
const { join, resolve } = require('node:path');
const { freePort } = require('../demo/lib/freePort');

const root = resolve(__dirname, '..');
const startMs = 120_000;

/** The environment, without variables set by npm and others. */
function cleanEnvironment() {
  return Object.fromEntries(Object.entries(process.env)
    .filter(([ name ]) => !name.startsWith('npm_') && !name.startsWith('CSS_') && name !== 'JEST_WORKER_ID'));
}

/** Repeats a request until the server has started and responds. */
async function ask(url, server) {
  const deadline = Date.now() + startMs;
  while (Date.now() < deadline && server.exitCode === null) {
    try {
      return await fetch(url);
    } catch {
      await new Promise((done) => {
        setTimeout(done, 250);
      });
    }
  }
  throw new Error(`No answer from ${url}`);
}

/** Starts a command in the folder, asks for the OpenAPI document, and stops it. */
async function check(folder, title, command, args) {
  const port = await freePort();
  const server = spawn(join(folder, 'node_modules/.bin', command), [ ...args, '-p', String(port), '-l', 'warn' ], {
    cwd: folder,
    env: cleanEnvironment(),
    stdio: 'inherit',
  });
  try {
    const response = await ask(`http://localhost:${port}/v1/openapi.json`, server);
    const { openapi, paths } = await response.json();
    if (response.status !== 200 || openapi !== '3.1.0' || !paths['/v1/webids']) {
      throw new Error(`${title}: ${response.status}, which is not the OpenAPI document`);
    }
    console.log(`${title}: answers /v1/openapi.json with ${Object.keys(paths).length} paths`);
  } finally {
    if (server.exitCode === null) {
      server.kill('SIGTERM');
      await once(server, 'exit');
    }
  }
}

const stockArguments = [
  '-m',
  '.',
  '-c',
  '@css:config/file.json',
  'node_modules/css-data-sharing/config/data-sharing.json',
  '-f',
  'data',
  '--records',
  'stock/records.sqlite',
  '--keys',
  'stock/keys',
];

/** Commands of an operator's first day, with their exit code and their message, which must have no stack trace. */
const firstDay = [
  [ 'css-data-sharing', [ 'new', 'data-type', 'licence' ], 0, 'css-data-sharing/data-types/licence.ttl' ],
  [ 'css-data-sharing', [ 'new', 'contract', 'jobs' ], 0, 'contracts/jobs.jsonld' ],
  [ 'css-data-sharing', [ 'new', 'contract', 'jobs' ], 1, 'nothing is overwritten' ],
  [ 'css-data-sharing', [ 'new', 'source' ], 0, 'student-certificate/2024-06-01/README.md' ],
  [ 'css-data-sharing', [ 'check', '--dataTypes', 'css-data-sharing/data-types' ], 0, 'No mistakes.' ],
  [ 'css-data-sharing', [ 'check', '--contracts', 'nowhere' ], 3, '--contracts: there is nothing at ' ],
  [ 'css-data-sharing', [ 'check', '--sourcs', 'x' ], 2, 'did you mean --sources?' ],
  [ 'css-data-sharing', [ 'audit' ], 2, 'There are audit verify, audit export.' ],
  [ 'css-data-sharing', [ 'keyz', 'list' ], 2, 'did you mean keys list?' ],
  [ 'css-data-sharing', [ 'completion', 'bash' ], 0, 'complete -o default' ],
  [ 'css-data-sharing', [ '--contractz', 'x' ], 1, 'did you mean --contracts?' ],
  [ 'css-data-sharing', [ '--purposes', 'nowhere' ], 1, '--purposes: there is nothing at ' ],
  [ 'css-data-sharing', [ '--baseUrl', 'https://data.example/data/' ], 1, '--baseUrl must be an origin' ],
  [ 'community-solid-server', [ ...stockArguments, '--contracts', 'nowhere' ], 1, '--contracts: there is nothing at ' ],
  [ 'community-solid-server', [ ...stockArguments, '--baseUrl', 'https://data.example/data/' ], 1, '--baseUrl must be' ],
  [ 'community-solid-server', [ ...stockArguments, '--logFormat', 'jsn' ], 1, '--logFormat must be text or json' ],
];

/** Runs one of the {@link firstDay} commands. */
function tryOut(folder, port, [ command, args, code, says ]) {
  const isStart = args[0].startsWith('-');
  const { status, stderr, stdout } = spawnSync(
    join(folder, 'node_modules/.bin', command),
    [ ...args, ...isStart ? [ '-p', String(port) ] : [] ],
    { cwd: folder, env: cleanEnvironment(), encoding: 'utf8', timeout: startMs },
  );
  const said = `${stdout}${stderr}`;
  if (status !== code || said.split(says).length !== 2 || said.includes('\n    at ')) {
    throw new Error(`${command} ${args.join(' ')}: ${status} instead of ${code} and '${says}':\n${said}`);
  }
  console.log(`${command} ${args.join(' ')}: ${status}, ${says}`);
}

/** Checks that a port in use is reported before anything is loaded. */
async function tryTakenPort(folder) {
  const server = createServer().listen(0);
  await once(server, 'listening');
  const { port } = server.address();
  tryOut(folder, port, [ 'css-data-sharing', [ '-l', 'info' ], 1, `Port ${port} is in use: choose another by --port` ]);
  server.close();
}

/**
 * Archives this checkout's compiled better-sqlite3 under the name of the archive that its install script would download,
 * and returns the folder. Without a connection to GitHub, the script compiles SQLite again, which takes minutes.
 */
function archiveCompiled(folder) {
  const built = join(root, 'node_modules/better-sqlite3');
  const { name, version } = JSON.parse(readFileSync(join(built, 'package.json'), 'utf8'));
  const { arch, platform, versions } = process;
  const archive = `${name}-v${version}-node-v${versions.modules}-${platform}-${arch}.tar.gz`;
  const archives = join(folder, 'compiled');
  mkdirSync(archives);
  execFileSync('tar', [ '-czf', join(archives, archive), '-C', built, 'build/Release/better_sqlite3.node' ]);
  return archives;
}

/** Packs, installs and starts. */
async function main() {
  const folder = mkdtempSync(join(tmpdir(), 'css-data-sharing-package-'));
  try {
    const npm = { cwd: folder, env: cleanEnvironment(), encoding: 'utf8' };
    const [{ filename }] = JSON.parse(execFileSync('npm', [
      'pack',
      root,
      '--json',
      '--ignore-scripts',
      '--pack-destination',
      folder,
    ], npm));
    writeFileSync(join(folder, 'package.json'), '{ "name": "operator", "private": true }\n');
    execFileSync('npm', [
      'install',
      '--no-audit',
      '--no-fund',
      '@solid/community-server@^7.2.0',
      join(folder, filename),
    ], {
      ...npm,
      // Where prebuild-install looks first.
      env: { ...npm.env, npm_config_better_sqlite3_local_prebuilds: archiveCompiled(folder) },
      stdio: 'inherit',
    });
    const port = await freePort();
    for (const step of firstDay) {
      tryOut(folder, port, step);
    }
    await tryTakenPort(folder);
    await check(folder, 'Own preset', 'css-data-sharing', []);
    await check(folder, 'Own preset with ACP', 'css-data-sharing', [
      '-c',
      'node_modules/css-data-sharing/config/file-acp.json',
      '-f',
      'pods-acp',
      '--records',
      'acp/records.sqlite',
      '--keys',
      'acp/keys',
    ]);
    await check(folder, 'Stock server', 'community-solid-server', stockArguments);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

main().catch((error) => {
  console.error(error.message);
  process.exit(1);
});
