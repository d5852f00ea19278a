import { KeyedMutex } from '../../../src/platform/KeyedMutex';

describe('The keyed mutex', (): void => {
  it('runs work with the same key in sequence, and other keys in parallel.', async(): Promise<void> => {
    const mutex = new KeyedMutex();
    const order: string[] = [];
    let release!: () => void;
    const gate = new Promise<void>((resolve): void => {
      release = resolve;
    });
    const first = mutex.run('a', async(): Promise<void> => {
      await gate;
      order.push('a1');
    });
    const second = mutex.run('a', async(): Promise<void> => {
      order.push('a2');
    });
    await mutex.run('b', async(): Promise<void> => {
      order.push('b');
    });
    release();
    await Promise.all([ first, second ]);
    expect(order).toEqual([ 'b', 'a1', 'a2' ]);
  });

  it('continues after work that failed.', async(): Promise<void> => {
    const mutex = new KeyedMutex();
    const failing = mutex.run('a', async(): Promise<never> => {
      throw new Error('no');
    });
    const next = mutex.run('a', async(): Promise<number> => 1);
    await expect(failing).rejects.toThrow('no');
    await expect(next).resolves.toBe(1);
  });
});
