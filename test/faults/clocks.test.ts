/* eslint-disable jest/require-top-level-describe, jest/consistent-test-it -- for each engine */
import { describeOnBoth } from '../support/postgres';
import { expectSound, shareReadAndCopy } from './killAtEveryStep';
import type { Engine } from './killStorage';
import { KillWorld } from './KillWorld';
import type { CitizenWithPod } from './KillWorld';

const hour = 3600;
const day = 24 * hour;

function describeClocks(engine: Engine): void {
  let world: KillWorld;
  let citizen: CitizenWithPod;

  beforeAll(async(): Promise<void> => {
    world = await KillWorld.start(engine);
    citizen = await world.citizen();
  });

  afterAll(async(): Promise<void> => world?.stop());

  it('an hour ahead or behind refuses tokens, and takes them once it is right again.', async(): Promise<void> => {
    for (const seconds of [ hour, -hour ]) {
      await world.stepClock(seconds, false);
      const refused = await world.createWebId(citizen.number);
      expect(refused).toMatchObject({ status: 401, body: { type: expect.stringContaining('/token-') }});
      await world.stepClock(0, false);
      expect((await world.createWebId(citizen.number))?.status).toBe(200);
    }
  });

  it('stepped by an hour, like everybody else\'s, keeps its data.', async(): Promise<void> => {
    for (const seconds of [ hour, -hour ]) {
      const before = await shareReadAndCopy(world);
      await world.stepClock(seconds, true);
      expect((await world.read(before))?.status).toBe(seconds > 0 ? 200 : 403);
      const then = await shareReadAndCopy(world);
      await world.stepClock(0, true);
      // A grant that begins in an hour is not in force yet; sharing again gives one that is.
      expect((await world.read(then))?.status).toBe(seconds > 0 ? 403 : 200);
      for (const record of [ before, await world.shared(then.citizen) ]) {
        expect((await world.read(record))?.status).toBe(200);
        expect((await world.reportDeletion(record))?.status).toBe(200);
        expect((await world.revoke(record))?.status).toBe(200);
        expect((await world.read(record))?.status).toBe(403);
      }
    }
    await expectSound(world, 'the clock was stepped');
  });

  it.each([ day, hour, -hour, -day ])('%d s ahead during a share can share again, verifiably.', async(seconds):
  Promise<void> => {
    const others = await world.shareNew(await world.citizen());
    for (const isReadMeanwhile of [ false, true ]) {
      await world.stepClock(seconds, true);
      const then = await shareReadAndCopy(world);
      if (isReadMeanwhile) {
        await world.read(then, { verified: true });
      }
      // Checked by a wrong clock, and by the right one.
      await world.read(others, { verified: true });
      expect((await world.revoke(await world.shareNew(await world.citizen())))?.status).toBe(200);
      await world.stepClock(0, true);
      if (isReadMeanwhile) {
        await world.read(then, { verified: true });
      }
      const again = await world.shared(then.citizen);
      expect(again.podResource).toBe(then.podResource);
      expect((await world.read(again, { verified: true }))?.status).toBe(200);
      expect((await world.read(await world.shared(others.citizen), { verified: true }))?.status).toBe(200);
    }
    await expectSound(world, 'something was shared again');
  });
}

describe('A server on SQLite, with a clock', (): void => {
  describeClocks('SQLite');
});

describeOnBoth('A server on PostgreSQL, with a clock', (): void => {
  describeClocks('PostgreSQL');
});
