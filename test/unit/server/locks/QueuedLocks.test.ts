import { EventEmitter, once } from 'node:events';
import {
  EqualReadWriteLocker,
  Initializer,
  MemoryResourceLocker,
  WrappedExpiringReadWriteLocker,
} from '@solid/community-server';
import type { ReadWriteLocker, ResourceIdentifier } from '@solid/community-server';
import { QueuedLocks } from '../../../../src/server/locks/QueuedLocks';

const document = { path: 'http://localhost:3000/document' };

/** Underlying locks, which can be lost on command. */
class LosableLocker implements ReadWriteLocker {
  private readonly losses = new EventEmitter();

  public loseAll(): void {
    this.losses.emit('error', new Error('A lock was lost'));
  }

  public async withReadLock<T>(identifier: ResourceIdentifier, work: () => T | Promise<T>): Promise<T> {
    return this.withWriteLock(identifier, work);
  }

  public async withWriteLock<T>(...[ , work ]: [ResourceIdentifier, () => T | Promise<T>]): Promise<T> {
    const lost = once(this.losses, 'lost') as Promise<never>;
    return Promise.race([ (async(): Promise<T> => work())(), lost ]);
  }
}

function queued(locker: WrappedExpiringReadWriteLocker): WrappedExpiringReadWriteLocker {
  expect(new QueuedLocks({ locker, maxWaitingPerResource: 5 })).toBeInstanceOf(Initializer);
  return locker;
}

describe('QueuedLocks', (): void => {
  it('returns the result of a write that lost its lock.', async(): Promise<void> => {
    const source = new LosableLocker();
    const locker = queued(new WrappedExpiringReadWriteLocker(source, 10_000));
    await expect(locker.withWriteLock(document, async(): Promise<string> => {
      source.loseAll();
      await new Promise(setImmediate);
      return 'done';
    })).resolves.toBe('done');
  });

  it.each([ 'done', 'refused' ])('returns the result of a write whose lock expired: %s.', async(end):
  Promise<void> => {
    const source = new EqualReadWriteLocker(new MemoryResourceLocker());
    const locker = queued(new WrappedExpiringReadWriteLocker(source, 5));
    const next = new EventEmitter();
    const hasBegun = once(next, 'begun');
    const writing = locker.withWriteLock(document, async(): Promise<string> => {
      await hasBegun;
      return end === 'done' ? end : Promise.reject(new Error(end));
    });
    // The next one gets the lock once it has expired.
    await locker.withWriteLock(document, (): boolean => next.emit('begun'));
    await expect(writing.catch((error: unknown): string => (error as Error).message)).resolves.toBe(end);
  });
});
