const usual = require('./jest.config');

// Servers killed at every step, and frozen nodes. Separate from the other tests because they take long.
module.exports = {
  ...usual,
  globalSetup: './scripts/faults/setup.js',
  testRegex: '/test/faults/\\w+\\.test\\.ts$',
  testTimeout: 1_200_000,
  maxWorkers: 2,
};
