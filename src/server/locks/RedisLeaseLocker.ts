import { Initializer } from '@solid/community-server';
import type { Finalizable, ReadWriteLocker, ResourceIdentifier } from '@solid/community-server';
import { RefusedSetting } from '../../platform/RefusedSetting';
import { messageOf } from '../../platform/errors';
import { RedisLeases } from './RedisLeases';

/**
 * Locks on resources for several nodes, in Redis. Unlike the server's own Redis locks, they expire when their holder is
 * gone, and a node that starts or stops does not touch those of the others.
 */
export class RedisLeaseLocker extends Initializer implements Finalizable, ReadWriteLocker {
  private readonly leases: RedisLeases;

  /**
   * @param redis - `redis://` or `rediss://` URL.
   */
  public constructor(redis: string) {
    super();
    if (!/^rediss?:\/\//u.test(redis)) {
      throw new RefusedSetting('--redis must be a redis:// or rediss:// URL');
    }
    this.leases = new RedisLeases({ url: redis });
  }

  /** Requires that Redis responds, before anything is written. */
  public async handle(): Promise<void> {
    try {
      await this.ping();
    } catch (error: unknown) {
      throw new RefusedSetting(`--redis: cannot reach the Redis server: ${messageOf(error)}`, { cause: error });
    }
  }

  public async finalize(): Promise<void> {
    await this.leases.close();
  }

  /** Resolves when Redis responds. */
  public async ping(): Promise<void> {
    await this.leases.ping();
  }

  public async withReadLock<T>(identifier: ResourceIdentifier, whileLocked: () => T | Promise<T>): Promise<T> {
    return this.leases.hold('read', identifier.path, async(): Promise<T> => whileLocked());
  }

  public async withWriteLock<T>(identifier: ResourceIdentifier, whileLocked: () => T | Promise<T>): Promise<T> {
    return this.leases.hold('write', identifier.path, async(): Promise<T> => whileLocked());
  }
}
