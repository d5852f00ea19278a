import type { ReadWriteLocker, ResourceIdentifier } from '@solid/community-server';
import { Hold } from './Hold';
import { LockQueue } from './LockQueue';
import type { LockQueueOptions } from './LockQueue';

/** State of a resource that is locked or waited for. */
interface Resource {
  queue: LockQueue;
  /** Hold that new readers share. */
  reading?: Hold;
  /** All holds of readers. */
  holds: Set<Hold>;
}

/** Time in which new readers share the same underlying lock. */
const shareMs = 1000;

/**
 * Locks with a bounded queue: readers share one underlying lock, and all others wait here. So the underlying lock is
 * taken by one caller at a time, and never has a queue of its own to overflow.
 */
export class QueuedLocker implements ReadWriteLocker {
  private readonly resources = new Map<string, Resource>();

  public constructor(
    private readonly source: ReadWriteLocker,
    private readonly options: LockQueueOptions,
  ) {}

  public async withReadLock<T>(identifier: ResourceIdentifier, whileLocked: () => T | Promise<T>): Promise<T> {
    const resource = this.resourceOf(identifier);
    await resource.queue.enter('read');
    if (!resource.reading?.isShareable(shareMs)) {
      resource.reading = new Hold(
        async(work): Promise<void> => this.source.withReadLock(identifier, work),
        this.options.patienceMs,
      );
    }
    const { holds, queue, reading } = resource;
    holds.add(reading);
    try {
      return await use(queue, reading, whileLocked);
    } finally {
      if (reading.isUnused) {
        holds.delete(reading);
      }
    }
  }

  public async withWriteLock<T>(identifier: ResourceIdentifier, whileLocked: () => T | Promise<T>): Promise<T> {
    const { queue } = this.resourceOf(identifier);
    await queue.enter('write');
    const writing = new Hold(
      async(work): Promise<void> => this.source.withWriteLock(identifier, work),
      this.options.patienceMs,
    );
    return use(queue, writing, whileLocked);
  }

  /** Number of resources that are locked or waited for. */
  public get size(): number {
    return this.resources.size;
  }

  private resourceOf({ path }: ResourceIdentifier): Resource {
    let resource = this.resources.get(path);
    if (!resource) {
      const holds = new Set<Hold>();
      const queue = new LockQueue(
        this.options,
        (): boolean => this.resources.delete(path),
        (): void => releaseAll(holds),
      );
      resource = { queue, holds };
      this.resources.set(path, resource);
    }
    return resource;
  }
}

function releaseAll(holds: Iterable<Hold>): void {
  for (const hold of holds) {
    hold.release();
  }
}

/**
 * Runs work under a hold. The turn ends when the underlying lock is free or still in use by others; the result does not
 * wait for that.
 */
async function use<T>(queue: LockQueue, hold: Hold, work: () => T | Promise<T>): Promise<T> {
  try {
    return await hold.run(work);
  } finally {
    // Never rejects.
    hold.left().finally((): void => queue.leave()).catch((): undefined => undefined);
  }
}
