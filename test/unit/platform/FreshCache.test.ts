import { FreshCache } from '../../../src/platform/FreshCache';

describe('FreshCache', (): void => {
  it('evicts the least recently used entry.', async(): Promise<void> => {
    const cache = new FreshCache<string>({ lifeMs: 1000, maxEntries: 2, now: (): Date => new Date(0) });
    const loaded: string[] = [];
    for (const key of [ 'a', 'b', 'a', 'c', 'a', 'b' ]) {
      await cache.get(key, async(): Promise<string> => {
        loaded.push(key);
        return key;
      });
    }
    expect(loaded).toEqual([ 'a', 'b', 'c', 'b' ]);
  });

  it('evicts more entries for a larger one, and keeps none that is larger than all.', async(): Promise<void> => {
    const cache = new FreshCache<number>({
      lifeMs: 1000,
      maxEntries: 4,
      weigh: (value): number => value,
      now: (): Date => new Date(0),
    });
    const loaded: number[] = [];
    for (const size of [ 0.5, 1, 1.5, 1, 4, 1.5, 5, 1.5, 5 ]) {
      await cache.get(String(size), async(): Promise<number> => {
        loaded.push(size);
        return size;
      });
    }
    expect(loaded).toEqual([ 0.5, 1, 1.5, 4, 1.5, 5, 5 ]);
  });

  it('reloads what it loaded before the clock was set back.', async(): Promise<void> => {
    let time = 3_600_000;
    const cache = new FreshCache<string>({ lifeMs: 1000, maxEntries: 2, now: (): Date => new Date(time) });
    await expect(cache.get('a', async(): Promise<string> => 'before')).resolves.toBe('before');
    time = 0;
    await expect(cache.get('a', async(): Promise<string> => 'after')).resolves.toBe('after');
    time = -3_600_000;
    await expect(cache.renew('a', 1000, async(): Promise<string> => 'renewed')).resolves.toBe('renewed');
  });
});
