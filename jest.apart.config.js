const usual = require('./jest.config');

// Apart from the other tests, for the time they take and what they need: hostile requests to each preset, random ones to
// each preset and the stock server, a provider of Debian's packages, and the demo's stories.
module.exports = {
  ...usual,
  testRegex: '/test/(?:hostile|conformance/differential|providers|demo)/.*\\.test\\.ts$',
  testTimeout: 1_200_000,
  maxWorkers: 2,
};
