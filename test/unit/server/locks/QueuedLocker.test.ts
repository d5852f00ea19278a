import type { ReadWriteLocker } from '@solid/community-server';
import {
  GreedyReadWriteLocker,
  MemoryMapStorage,
  MemoryResourceLocker,
  PartialReadWriteLocker,
  WrappedExpiringReadWriteLocker,
} from '@solid/community-server';
import { QueuedLocker } from '../../../../src/server/locks/QueuedLocker';
import { QueuedLocks } from '../../../../src/server/locks/QueuedLocks';

const resource = { path: 'http://localhost/alice/profile/card' };
const options = {
  maxWaiting: 500,
  maxReaders: 2000,
  patienceMs: 10_000,
  readerPatienceMs: 1000,
  writerPatienceMs: 10_000,
};

/** A promise, and the function that settles it. */
function gate(): { opened: Promise<void>; open: () => void } {
  let open!: () => void;
  const opened = new Promise<void>((resolve): void => {
    open = resolve;
  });
  return { opened, open };
}

async function turn(): Promise<void> {
  return new Promise((resolve): void => {
    setImmediate(resolve);
  });
}

function broken(): never {
  throw new Error('broken');
}

describe('A QueuedLocker', (): void => {
  /** Calls of the underlying lock. */
  let asked: string[];
  let failure: Error | undefined;
  let source: ReadWriteLocker;
  let locker: QueuedLocker;

  beforeEach((): void => {
    asked = [];
    failure = undefined;
    function hold(kind: string): ReadWriteLocker['withReadLock'] {
      return async<T>(...[ , work ]: [unknown, () => T | Promise<T>]): Promise<T> => {
        asked.push(kind);
        if (failure) {
          throw failure;
        }
        const result = await work();
        asked.push(`end ${kind}`);
        return result;
      };
    }
    source = { withReadLock: hold('read'), withWriteLock: hold('write') };
    locker = new QueuedLocker(source, options);
  });

  it('takes the lock from all readers when a writer has waited long.', async(): Promise<void> => {
    locker = new QueuedLocker(source, { ...options, writerPatienceMs: 20 });
    const { opened, open } = gate();
    const reading = [ 1, 2 ].map(async(): Promise<void> =>
      locker.withReadLock(resource, async(): Promise<void> => opened));
    const lost = Promise.all(reading.map(async(read): Promise<void> =>
      expect(read).rejects.toMatchObject({ statusCode: 503 })));
    await expect(locker.withWriteLock(resource, (): string => 'written')).resolves.toBe('written');
    await lost;
    await expect(locker.withReadLock(resource, (): string => 'read')).resolves.toBe('read');
    expect(asked).toEqual([ 'read', 'end read', 'write', 'end write', 'read', 'end read' ]);
    open();
    await turn();
    expect(locker.size).toBe(0);
  });

  it('takes one underlying lock for simultaneous readers.', async(): Promise<void> => {
    const { opened, open } = gate();
    const reads = [ ...Array.from({ length: 1200 }).keys() ].map(async(index): Promise<number> =>
      locker.withReadLock(resource, async(): Promise<number> => {
        await opened;
        return index;
      }));
    const write = locker.withWriteLock(resource, (): string => 'written');
    await turn();
    expect(asked).toEqual([ 'read' ]);
    open();
    await expect(Promise.all(reads)).resolves.toHaveLength(1200);
    await expect(write).resolves.toBe('written');
    await turn();
    expect(asked).toEqual([ 'read', 'end read', 'write', 'end write' ]);
    expect(locker.size).toBe(0);
  });

  it('refuses those who would wait behind too many, and nobody else.', async(): Promise<void> => {
    const { opened, open } = gate();
    const writes = Array.from({ length: 1100 }, async(): Promise<unknown> =>
      locker.withWriteLock(resource, async(): Promise<void> => opened));
    open();
    const outcomes = await Promise.allSettled(writes);
    expect(outcomes.filter(({ status }): boolean => status === 'fulfilled')).toHaveLength(501);
    expect(outcomes.find(({ status }): boolean => status === 'rejected'))
      .toMatchObject({ reason: { statusCode: 503 }});
    await turn();
    expect(locker.size).toBe(0);
  });

  it('fails for those whose lock cannot be taken, but not for later ones.', async(): Promise<void> => {
    failure = new Error('no lock');
    const reads = [ 1, 2 ].map(async(): Promise<unknown> => locker.withReadLock(resource, (): number => 1));
    const write = locker.withWriteLock(resource, (): number => 1);
    for (const { status } of await Promise.allSettled([ ...reads, write ])) {
      expect(status).toBe('rejected');
    }
    failure = undefined;
    await expect(locker.withWriteLock(resource, (): number => 2)).resolves.toBe(2);
  });

  it('rethrows errors of the work, and releases the lock.', async(): Promise<void> => {
    await expect(locker.withReadLock(resource, broken)).rejects.toThrow('broken');
    await expect(locker.withWriteLock(resource, broken)).rejects.toThrow('broken');
    await expect(locker.withWriteLock(resource, (): number => 2)).resolves.toBe(2);
  });

  it('returns to readers when the underlying lock was lost.', async(): Promise<void> => {
    let lose!: (error: Error) => void;
    const lost = new Promise<never>((...[ , reject ]): void => {
      lose = reject;
    });
    source.withReadLock = async<T>(...[ , work ]: [unknown, () => T | Promise<T>]): Promise<T> =>
      Promise.race([ (async(): Promise<T> => work())(), lost ]);
    const read = locker.withReadLock(resource, async(): Promise<void> => gate().opened);
    await turn();
    lose(new Error('lost'));
    await expect(read).rejects.toThrow('lost');
    await expect(locker.withWriteLock(resource, (): number => 2)).resolves.toBe(2);
  });

  it('fails if an underlying lock is not granted, and releases one that comes too late.', async(): Promise<void> => {
    locker = new QueuedLocker(source, { ...options, patienceMs: 200 });
    const { opened, open } = gate();
    const { withWriteLock } = source;
    source.withWriteLock = async<T>(id: typeof resource, work: () => T | Promise<T>): Promise<T> => {
      await opened;
      return withWriteLock(id, work);
    };
    await expect(locker.withWriteLock(resource, (): number => 1)).rejects.toMatchObject({ statusCode: 503 });
    const waiting = locker.withReadLock(resource, (): number => 2);
    open();
    await expect(waiting).resolves.toBe(2);
    expect(asked.slice(0, 2)).toEqual([ 'write', 'end write' ]);
  });

  describe('in front of a stock server\'s locks', (): void => {
    it.each([
      [ 'on disk', new PartialReadWriteLocker(new MemoryResourceLocker()) ],
      [ 'in memory', new GreedyReadWriteLocker(new MemoryResourceLocker(), new MemoryMapStorage()) ],
    ])('%s, keeps a burst from breaking the lock permanently.', async(...[ , stock ]): Promise<void> => {
      const expiring = new WrappedExpiringReadWriteLocker(stock, 6000);
      await new QueuedLocks({ locker: expiring, maxWaitingPerResource: 500 }).handle();
      const reads = Array.from({ length: 1200 }, async(): Promise<number> =>
        expiring.withReadLock(resource, async(): Promise<number> => {
          await turn();
          return 1;
        }));
      await expect(Promise.all(reads)).resolves.toHaveLength(1200);
      await expect(expiring.withWriteLock(resource, (): number => 2)).resolves.toBe(2);
    });
  });

  it('checks its setting.', (): void => {
    const stock = new WrappedExpiringReadWriteLocker(source, 6000);
    expect((): unknown => new QueuedLocks({ locker: stock, maxWaitingPerResource: 0 }))
      .toThrow('--maxWaitingPerResource must be a whole number from 1 on');
  });
});
