import { Redis } from 'ioredis';
import type { SharedCounts } from './RateCounter';

/** Counts that processes and machines share in Redis, for two windows. */
export class RedisCounts implements SharedCounts {
  private readonly redis: Redis;

  /**
   * @param url - `redis://` or `rediss://` URL.
   * @param onError - Called when Redis cannot be reached. Meanwhile each process counts for itself.
   */
  public constructor(url: string, onError: (error: Error) => void) {
    this.redis = new Redis(url, {
      connectionName: 'css-data-sharing limits',
      keyPrefix: 'css-data-sharing:limits:',
      maxRetriesPerRequest: 0,
      enableOfflineQueue: false,
      commandTimeout: 2000,
      // The address may lead to another server by now.
      reconnectOnError: ({ message }): boolean => message.includes('READONLY'),
    });
    this.redis.on('error', onError);
  }

  public async add(
    policy: string,
    window: number,
    windowSeconds: number,
    added: [ key: string, count: number ][],
  ): Promise<number[]> {
    const pipeline = this.redis.pipeline();
    for (const [ key, count ] of added) {
      const name = `${policy}:${window}:${key}`;
      pipeline.incrby(name, count).expire(name, 2 * windowSeconds);
    }
    const replies = await pipeline.exec() ?? [];
    const totals: number[] = [];
    for (let index = 0; index < replies.length; index += 2) {
      const [ error, total ] = replies[index];
      if (error) {
        throw error;
      }
      totals.push(Number(total));
    }
    return totals;
  }

  public close(): void {
    this.redis.disconnect();
  }
}
