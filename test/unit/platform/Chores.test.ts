import { Chores } from '../../../src/platform/Chores';

describe('Chores', (): void => {
  it('have ended when a stop has, and do not begin again.', async(): Promise<void> => {
    const log: string[] = [];
    const chores = new Chores({ error: (line: string): unknown => log.push(line) } as never);
    const ends: (() => void)[] = [];
    await new Promise<void>((begun): void => chores.everyUnlessBusy(1, 'work', async(): Promise<void> => {
      log.push('begins');
      begun();
      await new Promise<void>((resolve): unknown => ends.push(resolve));
      log.push('ends');
      throw new Error('broken');
    }));
    const stopped = chores.stop().then((): unknown => log.push('stopped'));
    ends[0]();
    await stopped;
    expect(log).toEqual([ 'begins', 'ends', 'Could not look for work: broken', 'stopped' ]);
  });
});
