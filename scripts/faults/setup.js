'use strict';

const { existsSync, mkdtempSync } = require('node:fs');
const { tmpdir } = require('node:os');
const { join } = require('node:path');
const { compileServer } = require('./compile');

/** Before all tests of faults: compiles the preset once, for all servers that they start. */
module.exports = async function setUp() {
  const folder = process.env.FAULTS_COMPILED ?? mkdtempSync(join(tmpdir(), 'faults-'));
  process.env.FAULTS_COMPILED = folder;
  if (!existsSync(join(folder, 'app.js'))) {
    await compileServer('file.json', folder);
  }
};
