/* eslint-disable jest/no-export, jest/require-top-level-describe, jest/consistent-test-it -- for each engine */
import { killAtEveryStep, killInRecovery, killUnderLoad, warmUp } from './killAtEveryStep';
import type { Engine } from './killStorage';
import { documents, linking, loggingIn, recovered, scenarios } from './scenarios';

/** Minimum number of kills on each engine. Removing a pod takes few steps: on PostgreSQL, one statement. */
const enough = 100;

/** Kills a server at every step of every operation, and of the starts that follow. */
export function describeKills(engine: Engine): void {
  const kills: Record<string, number> = {};
  let total = 0;

  function count(name: string, times: number): void {
    kills[name] = times;
    total += times;
  }

  beforeAll(async(): Promise<void> => warmUp(engine));

  afterAll((): void => {
    process.stderr.write(`${engine}: ${total} kills ${JSON.stringify(kills)}\n`);
  });

  const all = [ ...scenarios, ...documents, ...linking, loggingIn ];

  it.each(all)('of $name, ends up as if it had not been killed.', async(scenario): Promise<void> => {
    count(scenario.name, await killAtEveryStep(scenario, engine));
  });

  it.each(recovered)('of the start after $name was interrupted, finishes it.', async(scenario): Promise<void> => {
    count(`the start after ${scenario.name}`, await killInRecovery(scenario, engine));
  });

  it('of many operations at once, loses nothing that it acknowledged.', async(): Promise<void> => {
    count('all at once', await killUnderLoad(engine));
  });

  it('was killed often enough.', (): void => {
    expect(total).toBeGreaterThanOrEqual(enough);
  });
}
