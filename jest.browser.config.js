const usual = require('./jest.config');

// Pages in a real browser, Debian's Chromium: apart from the other tests, for what it needs.
module.exports = {
  ...usual,
  testRegex: '/test/browser/.*\\.test\\.ts$',
  // Whole stories in a browser, which keeps a core busy itself.
  testTimeout: 300_000,
  maxWorkers: 2,
};
