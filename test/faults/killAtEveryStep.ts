import type { Answered } from './caller';
import type { KillPoint, Step } from './KillableServer';
import type { Engine } from './killStorage';
import { KillWorld } from './KillWorld';
import { loggingIn, scenarios } from './scenarios';
import type { Attempt, Scenario } from './scenarios';

/** Every how many steps of a start that finishes something it is killed again. */
const recoveryStride: Record<Engine, number> = { PostgreSQL: 3, SQLite: 5 };
/** Every how many steps of many operations at once it is killed. */
const loadStride: Record<Engine, number> = { PostgreSQL: 6, SQLite: 17 };

/** Has a server do everything once. What it loads and compiles for that, all that start later take from it. */
export async function warmUp(engine: Engine): Promise<void> {
  await withWorld(engine, async(world): Promise<void> => {
    for (const scenario of [ ...scenarios, loggingIn ]) {
      await (await scenario.prepare(world)).again();
    }
    await expectSound(world, 'without a kill');
    await world.running.writeLoaded();
  });
}

/** Kills a server before each step of an operation that leaves something new. Answers how often. */
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
 * Numbers of the steps before which a kill leaves something else than one before the step in front: nothing of a
 * transaction is kept before its end, and `rm` removes a file by another call.
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

/** Kills a server while it is asked everything at once. Answers how often. */
export async function killUnderLoad(engine: Engine): Promise<number> {
  let kills = 0;
  await withWorld(engine, async(world): Promise<void> => {
    for (let at = 10, wasKilled = true; wasKilled; at += loadStride[engine]) {
      const attempts = await prepareMany(world);
      await world.running.arm({ at });
      const answers = await Promise.all(attempts.map(async({ run }): Promise<Answered | undefined> => run()));
      wasKilled = answers.includes(undefined) || !await isStillThere(world);
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

/** One attempt of each kind, each by a citizen of its own. */
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

/** Kills the server at a step, and again at one of the start after that. Answers false when there is no such step. */
async function killTwice(world: KillWorld, scenario: Scenario, at: number, killAt: number): Promise<boolean> {
  const { run, again } = await scenario.prepare(world);
  await world.running.arm({ at });
  await run();
  await world.running.gone();
  const wasKilled = await world.killStart(killAt);
  if (wasKilled) {
    await world.restart();
  }
  await expectSound(world, `${scenario.name} before step ${at}, and the start after it before step ${killAt}`);
  await again();
  return wasKilled;
}

/** The steps of an operation that nothing interrupts. */
async function countSteps(world: KillWorld, scenario: Scenario): Promise<Step[]> {
  const { run, again } = await scenario.prepare(world);
  await world.running.arm({ at: 0 });
  await run();
  const steps = await world.running.disarm();
  await again();
  return steps.filter(({ isFlush }): boolean => !isFlush);
}

/** Returns 0 when the operation did not have so many steps this time. */
async function killOnce(world: KillWorld, scenario: Scenario, point: KillPoint, step: Step): Promise<number> {
  const { run, stands, again } = await scenario.prepare(world);
  await world.running.arm(point);
  const answered = await run();
  if (answered && await isStillThere(world)) {
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

/** Something may be left to do after the answer. */
async function isStillThere(world: KillWorld): Promise<boolean> {
  try {
    await world.running.disarm();
    return true;
  } catch {
    return false;
  }
}

/** Expects that all rules hold of what is stored. */
export async function expectSound(world: KillWorld, when: string): Promise<void> {
  expect({ when, findings: await world.findings() }).toEqual({ when, findings: []});
}
