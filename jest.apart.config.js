const usual = require('./jest.config');
const { onlyApart, onPresets } = require('./test/support/suites');

// For the workers: npm test has run the suites about access with Web Access Control.
process.env.TEST_ACCESS_CONTROL = 'acp';

// Apart from the other tests, for the time they take and what they need: hostile requests to each preset, random ones to
// each preset and the stock server, bursts, a provider of Debian's packages, the demo's stories, and access by Access
// Control Policy.
module.exports = {
  ...usual,
  testRegex: [ '/test/(?:hostile|conformance/differential|providers|demo)/.*\\.test\\.ts$', ...onlyApart, ...onPresets ],
  testPathIgnorePatterns: [ '/node_modules/' ],
  testTimeout: 1_200_000,
  maxWorkers: 2,
};
