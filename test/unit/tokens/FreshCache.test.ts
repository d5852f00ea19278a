import { FreshCache } from '../../../src/tokens/FreshCache';

describe('FreshCache', (): void => {
  it('forgets what was used longest ago.', async(): Promise<void> => {
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
});
