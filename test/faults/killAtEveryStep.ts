import type { Answered } from './caller';
import type { KillPoint, Step } from './KillableServer';
import type { Engine } from './killStorage';
import { KillWorld } from './KillWorld';
import type { SharedRecord } from './KillWorld';
import { loggingIn, scenarios } from './scenarios';
import type { Attempt, Scenario } from './scenarios';

/** Number of steps between kills in a start that finishes something. */
const recoveryStride: Record<Engine, number> = { PostgreSQL: 3, SQLite: 5 };
/** Number of steps between kills among many operations at once. */
const loadStride: Record<Engine, number> = { PostgreSQL: 6, SQLite: 17 };

/** Makes a server do everything once, so that later starts reuse what it loaded and compiled. */
export async function warmUp(engine: Engine): Promise<void> {
  await withWorld(engine, async(world): Promise<void> => {
    for (const scenario of [ ...scenarios, loggingIn ]) {
      await (await scenario.prepare(world)).again();
    }
    await expectSound(world, 'without a kill');
    await world.running.writeLoaded();
  });
}

/** Kills a server before each step of an operation with a new effect. Returns how often. */
export async function killAtEveryStep(scenario: Scenario, engine: Engine): Promise<number> {
  let kills = 0;
  await withWorld(engine, async(world): Promise<void> => {
    const steps = await countSteps(world, scenario);
    const { ends = 0, stride = 1 } = scenario;
    for (const at of killPoints(steps).filter((_, index, { length }): boolean =>
      index % stride === 0 || index < ends || index >= length - ends)) {
      const step = steps[at - 1];
      const points: KillPoint[] = step.call.startsWith('write') ? [{ at }, { at, isTorn: true }] : [{ at }];
      for (const point of points) {
        kills += await killOnce(world, scenario, point, step);
      }
    }
  });
  return kills;
}

/**
 * Returns the steps before which a kill leaves another state than one step earlier: nothing of a
 * transaction is stored before its end, and `rm` removes a file by another call.
 */
export function killPoints(steps: Step[]): number[] {
  return steps.flatMap(({ isUncommitted, path }, index): number[] => {
    const isRepeated = steps[index - 1]?.call === 'rm' && steps[index - 1].path === path;
    return isUncommitted || isRepeated ? [] : [ index + 1 ];
  });
}

/** Kills a server in the middle of an operation, and again before steps of the start that follows. */
export async function killInRecovery(scenario: Scenario, engine: Engine): Promise<number> {
  let kills = 0;
  await withWorld(engine, async(world): Promise<void> => {
    const middle = Math.floor((await countSteps(world, scenario)).length / 2);
    for (let killAt = 1, wasKilled = true; wasKilled; killAt += recoveryStride[engine]) {
      wasKilled = await killTwice(world, scenario, middle, killAt);
      kills += wasKilled ? 2 : 1;
    }
  });
  return kills;
}

/** Kills a server during many simultaneous operations. Returns how often. */
export async function killUnderLoad(engine: Engine): Promise<number> {
  let kills = 0;
  await withWorld(engine, async(world): Promise<void> => {
    for (let at = 10, wasKilled = true; wasKilled; at += loadStride[engine]) {
      const attempts = await prepareMany(world);
      await world.running.arm({ at });
      const answers = await Promise.all(attempts.map(async({ run }): Promise<Answered | undefined> => run()));
      wasKilled = answers.includes(undefined) || !await world.isStillThere();
      if (wasKilled) {
        kills += 1;
        await world.running.gone();
        await world.restart();
      }
      await expectSound(world, `everything at once, before step ${at}`);
      for (const [ index, { again, stands }] of attempts.entries()) {
        const answered = answers[index];
        expect(!answered || await stands(answered)).toBe(true);
        await again();
      }
    }
  });
  return kills;
}

/** One attempt of each kind, each by another citizen. */
async function prepareMany(world: KillWorld): Promise<Attempt[]> {
  const attempts: Attempt[] = [];
  for (const { prepare } of scenarios) {
    world.forgetCitizen();
    attempts.push(await prepare(world));
  }
  return attempts;
}

async function withWorld(engine: Engine, work: (world: KillWorld) => Promise<void>): Promise<void> {
  const world = await KillWorld.start(engine);
  await work(world).finally(async(): Promise<void> => world.stop());
}

/** Kills the server at a step, and again at one of the next start. Returns false if there is no such step. */
async function killTwice(world: KillWorld, scenario: Scenario, at: number, killAt: number): Promise<boolean> {
  const { run, again } = await scenario.prepare(world);
  await world.running.arm({ at });
  const answered = await run();
  if (answered && await world.isStillThere()) {
    // Periodic work took some of the steps that were counted.
    await again();
    return killTwice(world, scenario, Math.ceil(at / 2), killAt);
  }
  await world.running.gone();
  const wasKilled = await world.killStart(killAt);
  if (wasKilled) {
    await world.restart();
  }
  await expectSound(world, `${scenario.name} before step ${at}, and the start after it before step ${killAt}`);
  await again();
  return wasKilled;
}

/** Returns the steps of an uninterrupted operation. */
async function countSteps(world: KillWorld, scenario: Scenario): Promise<Step[]> {
  const { run, again } = await scenario.prepare(world);
  await world.running.arm({ at: 0 });
  await run();
  const steps = await world.running.disarm();
  await again();
  return steps.filter(({ isFlush }): boolean => !isFlush);
}

/** Returns 0 if the operation had fewer steps this time. */
async function killOnce(world: KillWorld, scenario: Scenario, point: KillPoint, step: Step): Promise<number> {
  const { run, stands, again } = await scenario.prepare(world);
  await world.running.arm(point);
  const answered = await run();
  if (answered && await world.isStillThere()) {
    await again();
    return 0;
  }
  await world.running.gone();
  await world.restart();
  const where = `step ${point.at}${point.isTorn ? ', torn' : ''}: ${step.call} ${step.path}`;
  await expectSound(world, `${scenario.name} before ${where}`);
  expect(!answered || await stands(answered)).toBe(true);
  await again();
  return 1;
}

/** Shares, reads and copies data of a new citizen. */
export async function shareReadAndCopy(world: KillWorld): Promise<SharedRecord> {
  const record = await world.shareNew(await world.citizen());
  expect((await world.read(record))?.status).toBe(200);
  expect((await world.reportCopy(record))?.status).toBe(201);
  return record;
}

/** Expects that all invariants of the stored data hold. */
export async function expectSound(world: KillWorld, when: string): Promise<void> {
  expect({ when, findings: await world.findings() }).toEqual({ when, findings: []});
}
