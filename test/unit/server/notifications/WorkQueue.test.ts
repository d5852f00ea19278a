import { WorkQueue } from '../../../../src/server/notifications/WorkQueue';

describe('A queue of work', (): void => {
  const done: string[] = [];
  let begun = 0;

  beforeEach((): void => {
    jest.useFakeTimers();
    done.length = 0;
    begun = 0;
  });

  afterEach((): void => {
    jest.useRealTimers();
  });

  /** Returns work that takes a number of milliseconds. */
  function work(name: string, ms = 0): () => Promise<void> {
    return async(): Promise<void> => {
      begun += 1;
      await new Promise<void>((resolve): void => {
        setTimeout(resolve, ms);
      });
      done.push(name);
    };
  }

  it('runs a few pieces at a time.', async(): Promise<void> => {
    const queue = new WorkQueue(2, 10);
    for (const name of [ 'a', 'b', 'c' ]) {
      queue.add(name, work(name, 20));
    }
    expect(begun).toBe(2);
    await jest.advanceTimersByTimeAsync(80);
    expect(done).toEqual([ 'a', 'b', 'c' ]);
  });

  it('drops the oldest when it is full.', async(): Promise<void> => {
    const queue = new WorkQueue(1, 1);
    expect([ 'a', 'b', 'c' ].map((name): boolean => queue.add(name, work(name)))).toEqual([ false, false, true ]);
    await jest.advanceTimersByTimeAsync(50);
    expect(done).toEqual([ 'a', 'c' ]);
  });

  it('delays nothing by slow work about something else.', async(): Promise<void> => {
    const queue = new WorkQueue(2, 100);
    for (let index = 0; index < 20; index += 1) {
      queue.add(`slow ${index % 2}`, work('slow', 2000));
    }
    queue.add('quick', work('quick'));
    await jest.advanceTimersByTimeAsync(1000);
    expect(done).toEqual([ 'quick' ]);
    // Of slow work, a few pieces about one subject have begun.
    expect(begun).toBeLessThan(12);
    await jest.advanceTimersByTimeAsync(1500);
    expect(begun).toBeGreaterThan(12);
  });
});
