'use strict';

const { createRequire } = require('node:module');

const requireOfCli = createRequire(createRequire(require.resolve('jest')).resolve('jest-cli'));

/** Loads a package of Jest from where Jest itself loads it. */
const requireOfJest = createRequire(requireOfCli.resolve('jest-config'));

module.exports = { requireOfJest };
