const usual = require('./jest.config');

// Six servers and random requests: apart from the other tests, for the time it takes.
module.exports = {
  ...usual,
  testRegex: '/test/conformance/differential/.*\\.test\\.ts$',
  testTimeout: 1_200_000,
};
