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
