const usual = require('./jest.config');

// Log-in at a provider of Debian's packages: apart from the other tests, for what it needs.
module.exports = {
  ...usual,
  testRegex: '/test/providers/.*\\.test\\.ts$',
};
