/* eslint-disable jest/no-export -- what suites are made with */
/** URL of a PostgreSQL server for tests, which may make databases and schemas there. */
export const databaseUrl = process.env.DATABASE_URL;
/** URL of a Redis server for tests. */
export const redisUrl = process.env.REDIS_URL;

/** `describe` where there are both. */
export const describeOnBoth = databaseUrl === undefined || redisUrl === undefined ?
    skipping('DATABASE_URL or REDIS_URL') :
  describe;

/** Where everything must be tried, nothing is skipped. */
function skipping(variable: string): (name: string, suite: () => void) => void {
  if (process.env.CI !== undefined) {
    throw new Error(`${variable} is not set: run this by scripts/with-servers.sh`);
  }
  return (name, suite): void => {
    // eslint-disable-next-line jest/valid-describe-callback, jest/no-disabled-tests -- as given
    describe.skip(`${name} (skipped: ${variable} is not set)`, suite);
  };
}
