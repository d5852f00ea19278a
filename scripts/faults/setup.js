'use strict';

const { existsSync, mkdtempSync } = require('node:fs');
const { tmpdir } = require('node:os');
const { join } = require('node:path');
const { compileServer } = require('./compile');

/** Compiles each preset once, into a folder of its name, for the servers of all fault tests. */
module.exports = async function setUp() {
  const folder = process.env.FAULTS_COMPILED ?? mkdtempSync(join(tmpdir(), 'faults-'));
  process.env.FAULTS_COMPILED = folder;
  const hasServers = process.env.DATABASE_URL !== undefined && process.env.REDIS_URL !== undefined;
  for (const preset of [ 'file.json', ...hasServers ? [ 'postgres.json' ] : [] ]) {
    if (!existsSync(join(folder, preset))) {
      await compileServer(preset, join(folder, preset));
    }
  }
};
