import { killAtEveryStep, killInRecovery, warmUp } from './killAtEveryStep';
import { recovered, scenarios } from './scenarios';

describe('A server with its records in SQLite, killed at any step', (): void => {
  let kills = 0;

  beforeAll(async(): Promise<void> => warmUp());

  afterAll((): void => {
    process.stderr.write(`SQLite: ${kills} kills\n`);
  });

  it.each(scenarios)('of $name, ends up as if it had not been.', async(scenario): Promise<void> => {
    kills += await killAtEveryStep(scenario);
  });

  it.each(recovered)('of the start after $name was interrupted, finishes that.', async(scenario): Promise<void> => {
    kills += await killInRecovery(scenario);
  });

  it('was killed often enough.', (): void => {
    expect(kills).toBeGreaterThan(250);
  });
});
