const usual = require('./jest.config');

// Pages in a real browser, Debian's Chromium. Separate from the other tests because not every machine has a browser.
module.exports = {
  ...usual,
  testRegex: '/test/browser/.*\\.test\\.ts$',
  // Long tests in a browser, which keeps a core busy by itself.
  testTimeout: 300_000,
  maxWorkers: 2,
};
