'use strict';

const { createRequire } = require('node:module');

const requireOfCli = createRequire(createRequire(require.resolve('jest')).resolve('jest-cli'));

/** Loads a package of Jest, where Jest finds it itself. */
const requireOfJest = createRequire(requireOfCli.resolve('jest-config'));

module.exports = { requireOfJest };
