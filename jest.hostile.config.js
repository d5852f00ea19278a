const usual = require('./jest.config');

// Whole servers under hostile requests, on each preset: apart from the other tests, for the time it takes.
module.exports = {
  ...usual,
  testRegex: '/test/hostile/.*\\.test\\.ts$',
  testTimeout: 1_200_000,
  maxWorkers: 2,
};
