const usual = require('./jest.config');

// The server killed at every step: apart from the other tests, for the time it takes.
module.exports = {
  ...usual,
  globalSetup: './scripts/faults/setup.js',
  // Frozen nodes have a command of their own, with any number of rounds: see CONTRIBUTING.md.
  testRegex: process.env.FREEZE_ROUNDS ? '/test/faults/frozen\\.test\\.ts$' : '/test/faults/(?!frozen)\\w+\\.test\\.ts$',
  testTimeout: 1_200_000,
  maxWorkers: 2,
};
