/* eslint-disable jest/no-export -- helpers for suites */
import { createHash } from 'node:crypto';

/** URL of a PostgreSQL server for tests, which may make databases and schemas there. */
export const databaseUrl = process.env.DATABASE_URL;
/** URL of a Redis server for tests. */
export const redisUrl = process.env.REDIS_URL;

/**
 * `describe` if both servers are set; otherwise skips the suite.
 *
 * @throws Error in CI, which skips nothing.
 */
export function describeOnBoth(name: string, suite: () => void): void {
  if (databaseUrl !== undefined && redisUrl !== undefined) {
    // eslint-disable-next-line jest/valid-describe-callback, jest/valid-title -- as given
    describe(name, suite);
  } else if (process.env.CI === undefined) {
    // eslint-disable-next-line jest/valid-describe-callback, jest/no-disabled-tests -- as given
    describe.skip(`${name} (skipped: DATABASE_URL or REDIS_URL is not set)`, suite);
  } else {
    throw new Error('DATABASE_URL or REDIS_URL is not set: run this by scripts/with-servers.sh');
  }
}

/**
 * Returns the URL of a Redis database for all servers of a folder, so that those of other suites do not count the same
 * addresses.
 */
export function redisOf(folder: string): string {
  // The servers of scripts/with-servers.sh have as many.
  return `${redisUrl}/${createHash('sha256').update(folder).digest().readUInt32BE() % 10_000}`;
}
