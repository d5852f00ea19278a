'use strict';

// Runs a server from a compiled preset, in a process that its parent can kill. Preloaded: quickLoad, steps.

const { readFileSync } = require('node:fs');
const Module = require('node:module');
const { join } = require('node:path');
const { writeLoaded } = require('./quickLoad');
const { arm, disarm } = require('./steps');
const { passMinute, stepClock } = require('./time');

const root = join(__dirname, '../..');

/** @param folder - Of the compiled preset. */
function loadApp(folder) {
  const filename = join(root, 'app.js');
  const program = new Module(filename);
  program.filename = filename;
  program.paths = Module._nodeModulePaths(root);
  program._compile(readFileSync(join(folder, 'app.js'), 'utf8'), filename);
  return program.exports;
}

const orders = {
  arm: (options) => {
    arm(options);
    process.send({ armed: true });
  },
  disarm: () => process.send({ steps: disarm() }),
  passMinute: () => {
    passMinute();
    process.send({ passed: true });
  },
  stepClock: (milliseconds) => {
    stepClock(milliseconds);
    process.send({ stepped: true });
  },
  memory: () => process.send({ memory: process.memoryUsage().rss }),
  writeLoaded: () => {
    writeLoaded();
    process.send({ written: true });
  },
};

async function main() {
  const { compiled, variables } = JSON.parse(process.argv[2]);
  const defaults = JSON.parse(readFileSync(join(compiled, 'variables.json'), 'utf8'));
  const app = loadApp(compiled)({ 'urn:solid-server:default:variable:sparqlEndpoint': undefined, ...defaults, ...variables });
  process.on('message', ({ order, options }) => orders[order](options));
  // Ends with its parent.
  process.on('disconnect', () => process.exit(1));

  await app.start();
  process.send({ ready: true });
}

main().catch((error) => {
  process.stderr.write(`${error.stack}\n`);
  process.exit(1);
});
