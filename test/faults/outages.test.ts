/* eslint-disable jest/require-top-level-describe, jest/consistent-test-it -- within describeOnBoth */
import { describeOnBoth } from '../support/postgres';
import { until } from '../support/sharingWorld';
import { Wire } from '../support/Wire';
import type { Answered } from './caller';
import { expectSound } from './killAtEveryStep';
import { KillWorld } from './KillWorld';
import type { CitizenWithPod, SharedRecord } from './KillWorld';

// A missing recovery fails soon.
jest.setTimeout(300_000);

const unavailable = { status: 503, body: expect.objectContaining({ type: expect.stringMatching(/\/unavailable$/u) }) };

describeOnBoth('A server that loses', (): void => {
  let world: KillWorld;
  let postgres: Wire;
  let redis: Wire;
  let citizen: CitizenWithPod;
  let shared: SharedRecord;

  beforeAll(async(): Promise<void> => {
    world = await KillWorld.start('PostgreSQL', { async through(flags): Promise<Record<string, string>> {
      postgres = new Wire(new URL(flags.records), 5432);
      redis = new Wire(new URL(flags.redis), 6379);
      await Promise.all([ postgres.mend(), redis.mend() ]);
      return { records: postgres.url, redis: redis.url };
    } });
    citizen = await world.citizen();
    shared = await world.shareNew(citizen);
  });

  afterAll(async(): Promise<void> => {
    await world?.stop();
    await Promise.all([ postgres?.cut(), redis?.cut() ]);
  });

  /** Requests that change pods. */
  async function changePods(ids: string[]): Promise<(Answered | undefined)[]> {
    return Promise.all([
      world.createWebId(world.newNumber()),
      world.share(citizen, ids),
      world.deleteWebId(citizen.number),
    ]);
  }

  /** Expects recovery without restart or retry. */
  async function expectRecovery(when: string): Promise<void> {
    await until(async(): Promise<boolean> => world.isReady());
    await world.running.passMinute();
    await until(async(): Promise<boolean> => !await world.has(`citizens where state <> 'ACTIVE'`) &&
      !await world.has('share_intents'));
    await expectSound(world, when);
    citizen = await world.citizen();
    shared = await world.shareNew(citizen);
    await expect(world.read(shared)).resolves.toMatchObject({ status: 200 });
  }

  it.each([ 'cut', 'stall' ] as const)('Redis (%s) returns 503, and recovers by itself.', async(how): Promise<void> => {
    await world.writeDiploma(citizen, world.newDiploma());
    const ids = await world.listValues(citizen);
    await redis[how]();
    await expect(changePods(ids)).resolves.toEqual([ unavailable, unavailable, unavailable ]);
    await until(async(): Promise<boolean> => !await world.isReady());
    const own = await world.keep(citizen, Buffer.from('a note'));
    // Nothing is written without a lock. Reads and revocations need none, and continue.
    expect(own.map((answer): unknown => answer?.status)).toEqual([ 503, 404 ]);
    await expect(world.read(shared)).resolves.toMatchObject({ status: 200 });
    await expect(world.revoke(shared)).resolves.toMatchObject({ status: 200 });
    await redis.mend();
    await expectRecovery(`Redis was gone: ${how}`);
  });

  it('PostgreSQL returns 503, and recovers by itself.', async(): Promise<void> => {
    await world.writeDiploma(citizen, world.newDiploma());
    const ids = await world.listValues(citizen);
    await postgres.cut();
    const others = await Promise.all([ world.read(shared), world.revoke(shared), world.reportCopy(shared) ]);
    await expect(changePods(ids)).resolves.toEqual([ unavailable, unavailable, unavailable ]);
    expect(others).toEqual([ unavailable, unavailable, unavailable ]);
    await until(async(): Promise<boolean> => !await world.isReady());
    await postgres.mend();
    await expectRecovery('PostgreSQL was gone');
  });

  it.each([ 3, 30, 140, 200 ])('PostgreSQL after %i more statements recovers, too.', async(pieces): Promise<void> => {
    await world.writeDiploma(citizen, world.newDiploma());
    const ids = await world.listValues(citizen);
    postgres.cutAfter(pieces);
    const [ created, repeated, deleted ] = await changePods(ids);
    expect([ 201, 503 ]).toContain(created?.status);
    expect([ 200, 503 ]).toContain(deleted?.status);
    // Refused once the deletion of the WebID has begun: which of the two comes first is open.
    expect([ 200, 403, 503 ]).toContain(repeated?.status);
    await postgres.cut();
    await postgres.mend();
    await expectRecovery(`PostgreSQL was gone after ${pieces} more`);
  });
});
