import fc from 'fast-check';
import { databaseUrl, redisUrl } from '../../support/postgres';
import { Match } from './Match';
import { report } from './report';
import type { AccessSystem, SideName } from './Side';
import { Side } from './Side';
import { step } from './steps';
import { wantedDifferences } from './wanted';

/** The same each time, unless set in the environment. */
const seed = Number(process.env.SEED ?? 20_261_122);
const runs = Number(process.env.RUNS ?? 24);
const sequences = fc.array(step, { minLength: 1, maxLength: 25, size: 'max' });

if (process.env.CI !== undefined && (databaseUrl ?? redisUrl) === undefined) {
  throw new Error('DATABASE_URL and REDIS_URL are not set: run this by scripts/with-servers.sh');
}
const names: SideName[] = databaseUrl === undefined || redisUrl === undefined ? [ 'files' ] : [ 'files', 'PostgreSQL' ];

describe.each<AccessSystem>([ 'WAC', 'ACP' ])('With %s, next to the stock server,', (access): void => {
  let sides: Side[];
  let match: Match;

  beforeAll(async(): Promise<void> => {
    sides = await Promise.all([ 'stock' as const, ...names ]
      .map(async(name): Promise<Side> => Side.start(name, access)));
    match = new Match(sides[0], sides.slice(1), wantedDifferences);
  });

  afterAll(async(): Promise<void> => {
    await Promise.all(sides.map(async(side): Promise<void> => side.stop()));
  });

  const ofSystem = wantedDifferences.filter(({ only }): boolean => only === undefined || only === access);

  it.each(ofSystem)('ours differ as documented: $name.', async({ example, matches, on = names }): Promise<void> => {
    const differences = (await match.findAll(example)).filter((difference): boolean => matches(difference));
    const differing = names.filter((name): boolean => differences.some(({ side }): boolean => side === name));
    expect(differing).toEqual(expect.arrayContaining(names.filter((name): boolean => on.includes(name))));
  });

  it('ours return the same for random requests, apart from those differences.', async(): Promise<void> => {
    const property = fc.asyncProperty(sequences, async(steps): Promise<void> => {
      const finding = await match.play(steps);
      if (finding) {
        throw new Error(report(finding));
      }
    });
    const { failed, counterexamplePath, errorInstance, numRuns } = await fc.check(property, { seed, numRuns: runs });
    if (failed) {
      throw new Error(`${(errorInstance as Error).message}\n\nSEED=${seed}, path ${counterexamplePath}`);
    }
    expect(numRuns).toBe(runs);
  });
});
