import { MemoryProofStore } from '../../../src/tokens/MemoryProofStore';

const start = new Date('2026-03-02T10:00:00.000Z');

function after(seconds: number): Date {
  return new Date(start.getTime() + seconds * 1000);
}

describe('MemoryProofStore', (): void => {
  let store: MemoryProofStore;
  /** Difference of the clock from elapsed time. */
  let stepSeconds: number;
  let elapsedSeconds: number;

  beforeEach((): void => {
    stepSeconds = 0;
    elapsedSeconds = 0;
    store = new MemoryProofStore(3, (): number => elapsedSeconds * 1000);
  });

  /** Returns the time of the clock after some seconds. */
  function pass(secondsFromStart: number): Date {
    elapsedSeconds = secondsFromStart;
    return after(secondsFromStart + stepSeconds);
  }

  it('accepts a proof once.', async(): Promise<void> => {
    await expect(store.remember('bob', 'a', after(60), start)).resolves.toBe('fresh');
    await expect(store.remember('bob', 'a', after(60), start)).resolves.toBe('replayed');
    await expect(store.remember('bob', 'a', after(90), after(59))).resolves.toBe('replayed');
    await expect(store.remember('bob', 'b', after(60), start)).resolves.toBe('fresh');
    await expect(store.remember('alice', 'a', after(60), start)).resolves.toBe('fresh');
  });

  it('accepts one of many at the same time.', async(): Promise<void> => {
    const outcomes = await Promise.all(Array.from({ length: 50 })
      .map(async(): Promise<string> => store.remember('bob', 'a', after(60), start)));
    expect(outcomes.filter((outcome): boolean => outcome === 'fresh')).toHaveLength(1);
  });

  it('remembers up to and including the second in which a proof expires.', async(): Promise<void> => {
    await store.remember('bob', 'a', after(60), start);
    await expect(store.remember('bob', 'a', after(60), after(60.9))).resolves.toBe('replayed');
    await expect(store.remember('bob', 'a', after(120), pass(61))).resolves.toBe('fresh');
  });

  it('remembers a limited number per caller, and still knows their replays.', async(): Promise<void> => {
    for (const jti of [ 'a', 'b', 'c' ]) {
      await store.remember('bob', jti, after(60), start);
    }
    await expect(store.remember('bob', 'd', after(60), start)).resolves.toBe('too-many');
    await expect(store.remember('bob', 'a', after(60), start)).resolves.toBe('replayed');
    await expect(store.remember('alice', 'd', after(60), start)).resolves.toBe('fresh');
  });

  it('makes room as proofs expire, in whatever order they came.', async(): Promise<void> => {
    await store.remember('bob', 'late', after(60), start);
    await store.remember('bob', 'early', after(10), start);
    await store.remember('bob', 'middle', after(30), start);
    await expect(store.remember('bob', 'next', after(70), after(10))).resolves.toBe('too-many');
    await expect(store.remember('bob', 'next', after(70), pass(11))).resolves.toBe('fresh');
    await expect(store.remember('bob', 'one more', after(70), pass(11))).resolves.toBe('too-many');
    await expect(store.remember('bob', 'middle', after(30), after(11))).resolves.toBe('replayed');
  });

  it('forgets nothing if the clock steps ahead, as it can step back.', async(): Promise<void> => {
    await store.remember('bob', 'a', after(60), start);
    stepSeconds = 3600;
    await expect(store.remember('bob', 'b', after(3670), pass(10))).resolves.toBe('fresh');
    stepSeconds = 0;
    await expect(store.remember('bob', 'a', after(60), pass(20))).resolves.toBe('replayed');
    // From an hour ahead, and valid again in an hour.
    await expect(store.remember('bob', 'b', after(3670), pass(3660))).resolves.toBe('replayed');
    await expect(store.remember('bob', 'b', after(3750), pass(3671))).resolves.toBe('fresh');
  });

  it('forgets nothing early if the clock steps back.', async(): Promise<void> => {
    await store.remember('bob', 'a', after(60), start);
    stepSeconds = -3600;
    await expect(store.remember('bob', 'a', after(60), pass(3630))).resolves.toBe('replayed');
    await expect(store.remember('bob', 'a', after(120), pass(3661))).resolves.toBe('fresh');
  });
});
