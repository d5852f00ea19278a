import cluster from 'node:cluster';
import { Initializer, WrappedExpiringReadWriteLocker } from '@solid/community-server';
import type { ExpiringReadWriteLocker, ReadWriteLocker, ResourceIdentifier } from '@solid/community-server';
import { replacePart } from '../replacePart';
import { tooBusy } from '../tooBusy';
import { readWholeNumber } from '../../platform/readWholeNumber';
import { messageOf } from '../../platform/errors';
import { opened } from '../../platform/opened';
import { QueuedLocker } from './QueuedLocker';

/** Options of {@link QueuedLocks}. */
export interface QueuedLocksArgs {
  /** The server's locks on resources, of any kind. */
  locker: ExpiringReadWriteLocker;
  /** Maximum waiting requests for one resource. */
  maxWaitingPerResource: number;
  /** True when other machines use the same locks. */
  isShared?: boolean;
}

/** Work under a lock, which can renew the lock. */
type Work = (renew: () => void) => unknown;

/** Other processes poll the underlying lock at least every 80 ms, so they get it within the break. */
const turns = { turnMs: 1000, breakMs: 100 };

/**
 * Puts a queue in front of the server's locks: on disk, in memory or in Redis. The locks are changed in place, because
 * many of the server's objects refer to them.
 */
export class QueuedLocks extends Initializer {
  public constructor(args: QueuedLocksArgs) {
    super();
    const { locker, maxWaitingPerResource, isShared = false } = args;
    const maxWaiting = readWholeNumber('maxWaitingPerResource', maxWaitingPerResource);
    // Leave other kinds of locks as they are, such as those for tests, which lock nothing.
    if (locker instanceof WrappedExpiringReadWriteLocker) {
      const { locker: source } = opened<{ locker: ReadWriteLocker }>(locker);
      replacePart(locker, 'locker', new QueuedLocker(source, {
        maxWaiting,
        maxReaders: 50,
        patienceMs: 30_000,
        readerPatienceMs: 1000,
        writerPatienceMs: 10_000,
        ...isShared || cluster.isWorker ? turns : {},
      }));
      const { withReadLock, withWriteLock } = bound(locker);
      replacePart(locker, 'withReadLock', async(identifier: ResourceIdentifier, work: Work): Promise<unknown> =>
        refuseExpiredLock(withReadLock(identifier, work)));
      replacePart(locker, 'withWriteLock', async(identifier: ResourceIdentifier, work: Work): Promise<unknown> =>
        toItsEnd(work, async(begun): Promise<unknown> => refuseExpiredLock(withWriteLock(identifier, begun))));
    }
  }

  /** Does nothing: the constructor adds the queue. */
  public async handle(): Promise<void> {
    // Nothing to do.
  }
}

type WithLock = (identifier: ResourceIdentifier, work: Work) => Promise<unknown>;

function bound(locker: ExpiringReadWriteLocker): { withReadLock: WithLock; withWriteLock: WithLock } {
  return {
    withReadLock: locker.withReadLock.bind(locker),
    withWriteLock: locker.withWriteLock.bind(locker),
  };
}

/**
 * Returns the outcome of a started write, even if it lost its lock: the storage refuses a write that was overtaken, and
 * any other is complete.
 */
async function toItsEnd(work: Work, locked: (begun: Work) => Promise<unknown>): Promise<unknown> {
  let outcome: Promise<unknown> | undefined;
  try {
    return await locked(async(renew): Promise<unknown> => {
      outcome = (async(): Promise<unknown> => work(renew))();
      return outcome;
    });
  } catch (error: unknown) {
    if (outcome) {
      return outcome;
    }
    throw error;
  }
}

/** Turns an expired lock into a refusal because of overload, not a server error. */
async function refuseExpiredLock(locked: Promise<unknown>): Promise<unknown> {
  try {
    return await locked;
  } catch (error: unknown) {
    throw messageOf(error).startsWith('Lock expired after') ?
        tooBusy('Waited too long for work on a resource.') :
      error;
  }
}
