const usual = require('./jest.config');

// The server killed at every step, and nodes frozen: apart from the other tests, for the time it takes.
module.exports = {
  ...usual,
  globalSetup: './scripts/faults/setup.js',
  testRegex: '/test/faults/\\w+\\.test\\.ts$',
  testTimeout: 1_200_000,
  maxWorkers: 2,
};
