const usual = require('./jest.config');
const { onServers } = require('./test/support/suites');

if (process.env.DATABASE_URL === undefined || process.env.REDIS_URL === undefined) {
  throw new Error('DATABASE_URL and REDIS_URL are not set: run this by scripts/with-servers.sh');
}
// For the workers: their suites keep everything in PostgreSQL and Redis, but for one that begins on files.
process.env.TEST_STORAGE ??= 'postgres';
const begunOnFiles = '/integration/moving.test.ts';

// The stories and the store suites over again, and all that is about PostgreSQL and Redis.
module.exports = {
  ...usual,
  testRegex: onServers,
  testPathIgnorePatterns: [ '/node_modules/', ...process.env.TEST_STORAGE === 'postgres' ? [ begunOnFiles ] : [] ],
};
