import { mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { removeFolder } from '../support/world';
import { cutPower } from './cutPower';
import { expectSound } from './killAtEveryStep';
import { KillWorld } from './KillWorld';
import { documents, scenarios } from './scenarios';

describe('A server that loses power as soon as it has answered', (): void => {
  let world: KillWorld;
  let copies: string;

  beforeAll(async(): Promise<void> => {
    world = await KillWorld.start('SQLite');
    copies = await mkdtemp(join(tmpdir(), 'power-'));
  });

  afterAll(async(): Promise<void> => {
    await world?.stop();
    await removeFolder(copies);
  });

  it.each([ ...scenarios, ...documents ])('loses nothing of $name.', async({ name, prepare }): Promise<void> => {
    const { run, stands, again } = await prepare(world);
    await world.running.arm({ at: 0, keep: await mkdtemp(join(copies, 'kept-')) });
    const answered = await run();
    expect(answered).toMatchObject({ status: expect.any(Number) });
    const steps = await world.running.disarm();
    await world.running.kill();
    await cutPower(steps);
    await world.restart();
    await expectSound(world, name);
    await expect(stands(answered!)).resolves.toBe(true);
    await again();
  });
});
