/* eslint-disable jest/consistent-test-it, jest/require-top-level-describe -- skipped where there is no database */
import { killAtEveryStep, killInRecovery, warmUp } from './killAtEveryStep';
import { recovered, scenarios } from './scenarios';

const database = process.env.DATABASE_URL;
const describeIfPossible = database ? describe : describe.skip;

describeIfPossible('A server with its records in PostgreSQL, killed at any step', (): void => {
  let kills = 0;

  beforeAll(async(): Promise<void> => warmUp(database));

  afterAll((): void => {
    process.stderr.write(`PostgreSQL: ${kills} kills\n`);
  });

  it.each(scenarios)('of $name, ends up as if it had not been.', async(scenario): Promise<void> => {
    kills += await killAtEveryStep(scenario, database);
  });

  it.each(recovered)('of the start after $name was interrupted, finishes that.', async(scenario): Promise<void> => {
    kills += await killInRecovery(scenario, database);
  });

  it('was killed often enough.', (): void => {
    expect(kills).toBeGreaterThan(250);
  });
});
