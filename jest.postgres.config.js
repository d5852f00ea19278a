const usual = require('./jest.config');
const { onServers } = require('./test/support/suites');

if (process.env.DATABASE_URL === undefined || process.env.REDIS_URL === undefined) {
  throw new Error('DATABASE_URL and REDIS_URL are not set: run this by scripts/with-servers.sh');
}
// Read by the workers: suites store everything in PostgreSQL and Redis, except one that starts on files.
process.env.TEST_STORAGE ??= 'postgres';
const begunOnFiles = '/integration/moving.test.ts';

// The integration and store suites again, and all suites that need PostgreSQL or Redis.
module.exports = {
  ...usual,
  testRegex: onServers,
  testPathIgnorePatterns: [ '/node_modules/', ...process.env.TEST_STORAGE === 'postgres' ? [ begunOnFiles ] : [] ],
};
