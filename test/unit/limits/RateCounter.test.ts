import type { SharedCounts } from '../../../src/limits/RateCounter';
import { RateCounter } from '../../../src/limits/RateCounter';

const start = 60_000_000;

describe('A counter of requests', (): void => {
  it('allows each key its limit in a window, and again in the next.', (): void => {
    const counter = new RateCounter({ name: 'test', limit: 2, windowSeconds: 60 });
    expect(counter.count('a', start)).toEqual({ remaining: 1, resetSeconds: 60, exceeded: false });
    expect(counter.count('a', start + 30_000)).toEqual({ remaining: 0, resetSeconds: 30, exceeded: false });
    expect(counter.count('a', start + 59_999)).toEqual({ remaining: 0, resetSeconds: 1, exceeded: true });
    expect(counter.count('b', start + 59_999).exceeded).toBe(false);
    expect(counter.count('a', start + 60_000)).toEqual({ remaining: 1, resetSeconds: 60, exceeded: false });
  });

  it('counts some requests as several.', (): void => {
    const counter = new RateCounter({ name: 'test', limit: 10, windowSeconds: 60 });
    expect(counter.count('a', start, 8).remaining).toBe(2);
    expect(counter.look('a', start).remaining).toBe(2);
    expect(counter.look('b', start).remaining).toBe(10);
  });

  it('remembers a bounded number of keys.', (): void => {
    const counter = new RateCounter({ name: 'test', limit: 1, windowSeconds: 60, maxKeys: 100 });
    for (let key = 0; key < 10_000; key += 1) {
      counter.count(String(key), start);
    }
    expect(counter.size).toBe(100);
    expect(counter.count('9999', start).exceeded).toBe(true);
  });

  it('counts together with other processes, and alone if they cannot be reached.', async(): Promise<void> => {
    const shared = new MemoryCounts();
    const one = new RateCounter({ name: 'test', limit: 10, windowSeconds: 60 });
    const other = new RateCounter({ name: 'test', limit: 10, windowSeconds: 60 });
    one.count('a', start, 6);
    other.count('a', start, 3);
    await one.share(shared, start);
    await other.share(shared, start);
    await one.share(shared, start);
    expect(one.look('a', start).remaining).toBe(1);
    expect(other.look('a', start).remaining).toBe(1);
    other.count('a', start, 1);
    await other.share(shared, start);
    await one.share(shared, start);
    expect(one.count('a', start).exceeded).toBe(true);
    await expect(one.share({ add: async(): Promise<never> => {
      throw new Error('down');
    } }, start))
      .rejects.toThrow('down');
    // Counts that could not be shared are shared the next time.
    await one.share(shared, start);
    expect(shared.counts.get('test 1000 a')).toBe(11);
    expect(one.count('a', start + 60_000).remaining).toBe(9);
  });
});

/** Counts that several counters of one process share. */
class MemoryCounts implements SharedCounts {
  public readonly counts = new Map<string, number>();

  public async add(policy: string, window: number, _seconds: number, added: [string, number][]): Promise<number[]> {
    return added.map(([ key, count ]): number => {
      const name = `${policy} ${window} ${key}`;
      const total = (this.counts.get(name) ?? 0) + count;
      this.counts.set(name, total);
      return total;
    });
  }
}
