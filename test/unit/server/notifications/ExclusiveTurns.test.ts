import { ExclusiveTurns } from '../../../../src/server/notifications/ExclusiveTurns';

describe('Turns', (): void => {
  it('run work in sequence, yielding in between, whether it succeeds or not.', async():
  Promise<void> => {
    const turns = new ExclusiveTurns(10);
    const seen: string[] = [];
    const work = [ 'a', 'b', 'c' ].map(async(name): Promise<void> => turns.take(1, async(): Promise<void> => {
      setImmediate((): unknown => seen.push(`between ${name}`));
      seen.push(`begin ${name}`);
      await Promise.resolve();
      seen.push(`end ${name}`);
      if (name === 'b') {
        throw new Error('no');
      }
    }));
    expect((await Promise.allSettled(work)).map(({ status }): string => status))
      .toEqual([ 'fulfilled', 'rejected', 'fulfilled' ]);
    expect(seen).toEqual([ 'begin a', 'end a', 'between a', 'begin b', 'end b', 'between b', 'begin c', 'end c' ]);
  });

  it('refuse work beyond the limit, by share.', async(): Promise<void> => {
    const turns = new ExclusiveTurns(2);
    async function work(): Promise<string> {
      return 'done';
    }
    const first = turns.take(0.5, work);
    await expect(turns.take(0.5, work)).rejects.toMatchObject({ statusCode: 503 });
    const second = turns.take(1, work);
    expect((): void => turns.check(1)).toThrow('too many');
    await expect(Promise.all([ first, second ])).resolves.toEqual([ 'done', 'done' ]);
    await expect(turns.take(0.5, work)).resolves.toBe('done');
  });
});
