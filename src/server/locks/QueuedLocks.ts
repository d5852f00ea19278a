import cluster from 'node:cluster';
import { Initializer, WrappedExpiringReadWriteLocker } from '@solid/community-server';
import type { ExpiringReadWriteLocker, ReadWriteLocker } from '@solid/community-server';
import { replacePart } from '../replacePart';
import { tooBusy } from '../tooBusy';
import { readWholeNumber } from '../../platform/wholeNumber';
import { QueuedLocker } from './QueuedLocker';

/** Options of {@link QueuedLocks}. */
export interface QueuedLocksArgs {
  /** The server's locks on resources, of whatever kind. */
  locker: ExpiringReadWriteLocker;
  /** Requests that may wait for one resource. */
  maxWaitingPerResource: number;
  /** True when other machines have the same locks. */
  isShared?: boolean;
}

/** A lock beneath is polled by other processes every 80 ms at most: they get it within the break. */
const turns = { turnMs: 1000, breakMs: 100 };

/**
 * Puts a queue before the server's locks, wherever these are: on disk, in memory, in Redis. Many of the server's
 * objects have them, so that they are changed in place.
 */
export class QueuedLocks extends Initializer {
  public constructor(args: QueuedLocksArgs) {
    super();
    const { locker, maxWaitingPerResource, isShared = false } = args;
    const maxWaiting = readWholeNumber('maxWaitingPerResource', maxWaitingPerResource);
    // Locks of another kind, such as those for tests that lock nothing, are left as they are.
    if (locker instanceof WrappedExpiringReadWriteLocker) {
      const { locker: source } = locker as unknown as { locker: ReadWriteLocker };
      replacePart(locker, 'locker', new QueuedLocker(source, {
        maxWaiting,
        maxReaders: 50,
        patienceMs: 30_000,
        readerPatienceMs: 1000,
        ...isShared || cluster.isWorker ? turns : {},
      }));
      for (const name of [ 'withReadLock', 'withWriteLock' ] as const) {
        const withLock = locker[name].bind(locker) as (...args: unknown[]) => Promise<unknown>;
        replacePart(locker, name, async(...args: unknown[]): Promise<unknown> => sayingSo(withLock(...args)));
      }
    }
  }

  /** The queue is there as soon as the server's objects are. */
  public async handle(): Promise<void> {
    // Nothing is left to do.
  }
}

/** A lock that expires in overload is no mistake of the server's. */
async function sayingSo(locked: Promise<unknown>): Promise<unknown> {
  try {
    return await locked;
  } catch (error: unknown) {
    throw (error as Error).message.startsWith('Lock expired after') ?
        tooBusy('Waited too long for work on a resource.') :
      error;
  }
}
