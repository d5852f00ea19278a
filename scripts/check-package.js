// Installs the packed package into an empty folder, as an operator would, starts it in both ways, and asks for its
// OpenAPI document: as its own preset by its own command, and as one more configuration of a stock server.
const { execFileSync, spawn } = require('node:child_process');
const { once } = require('node:events');
const { mkdtempSync, rmSync, writeFileSync } = require('node:fs');
const { createServer } = require('node:net');
const { tmpdir } = require('node:os');
const { join, resolve } = require('node:path');

const root = resolve(__dirname, '..');
const startMs = 120_000;

/** A port that is free now. */
async function freePort() {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address();
  server.close();
  await once(server, 'close');
  return port;
}

/** Environment without what npm and others pass on to us. */
function cleanEnvironment() {
  return Object.fromEntries(Object.entries(process.env)
    .filter(([ name ]) => !name.startsWith('npm_') && !name.startsWith('CSS_') && name !== 'JEST_WORKER_ID'));
}

/** Asks until there is an answer: the server takes seconds to start. */
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
    ], { ...npm, stdio: 'inherit' });
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
    await check(folder, 'Stock server', 'community-solid-server', [
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
    ]);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

main().catch((error) => {
  console.error(error.message);
  process.exit(1);
});
