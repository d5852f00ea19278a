import { setTimeout } from 'node:timers/promises';
import { RedisCounts } from '../../../../src/limits/RedisCounts';
import { isOutage } from '../../../../src/platform/outage';
import { RedisLeases } from '../../../../src/server/locks/RedisLeases';
import type { DemotedRedis } from '../../../support/demotedRedis';
import { startDemotedRedis } from '../../../support/demotedRedis';

describe('When a Redis has become a replica', (): void => {
  let redis: DemotedRedis;

  beforeEach(async(): Promise<void> => {
    redis = await startDemotedRedis();
  });

  afterEach((): void => redis.stop());

  it('leases are refused as in an outage, and then taken on a new connection.', async(): Promise<void> => {
    const leases = new RedisLeases({ url: redis.url });
    async function hold(): Promise<string> {
      return leases.hold('write', 'name', async(): Promise<string> => 'held');
    }
    const error = await hold().catch((thrown: unknown): unknown => thrown);
    expect([ isOutage(error), String(error) ]).toEqual([ true, expect.stringContaining('READONLY') ]);
    await expect(hold()).resolves.toBe('held');
    expect(redis.connections).toHaveLength(2);
    await leases.close();
  });

  it('counts are shared on a new connection.', async(): Promise<void> => {
    const counts = new RedisCounts(redis.url, (): undefined => undefined);
    const errors: string[] = [];
    async function add(): Promise<number[]> {
      return counts.add('policy', 1, 60, [[ 'key', 1 ]]).catch(async(error: unknown): Promise<number[]> => {
        errors.push(String(error));
        // Not connected yet.
        await setTimeout(5);
        return add();
      });
    }
    await expect(add()).resolves.toEqual([ 1 ]);
    expect(errors.filter((error): boolean => error.includes('READONLY'))).toHaveLength(1);
    expect(redis.connections).toHaveLength(2);
    counts.close();
  });
});
