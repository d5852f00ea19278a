const usual = require('./jest.config');

// The demo's stories, each with servers of its own: apart from the other tests, for the time they take.
module.exports = {
  ...usual,
  testRegex: '/test/demo/.*\\.test\\.ts$',
};
