import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import type { IncomingMessage } from 'node:http';
import { ServerResponse } from 'node:http';
import { Redis } from 'ioredis';
import { ClientAddresses } from '../../../src/limits/ClientAddresses';
import { RateLimits } from '../../../src/limits/RateLimits';
import { RedisCounts } from '../../../src/limits/RedisCounts';
import { TooManyRequests } from '../../../src/problems';
import { redisUrl } from '../../support/postgres';

const now = new Date('2026-11-02T10:00:30Z');
const limit = 64;

function requestFrom(remoteAddress: string): IncomingMessage {
  return { socket: { remoteAddress }, headers: {}} as unknown as IncomingMessage;
}

describe('Limits that two nodes count in Redis', (): void => {
  let caller: string;
  let address: string;
  let nodes: { limits: RateLimits; redis: RedisCounts }[];

  beforeEach(async(): Promise<void> => {
    // Other tests may use the same server.
    caller = `https://pod.example/${randomUUID()}/profile/card#me`;
    address = `2a02:${randomUUID().slice(0, 4)}:${randomUUID().slice(0, 4)}:${randomUUID().slice(0, 4)}::1`;
    nodes = [ node(), node() ];
    await Promise.all(nodes.map(async({ redis }): Promise<void> => ready(redis)));
  });

  afterEach((): void => {
    for (const { redis } of nodes) {
      redis.close();
    }
  });

  function node(): { limits: RateLimits; redis: RedisCounts } {
    const options = { perAddress: limit, perCaller: limit, failures: 2 * limit, now: (): Date => now };
    return {
      limits: new RateLimits({ ...options, addresses: new ClientAddresses(undefined) }),
      redis: new RedisCounts(redisUrl!, (): undefined => undefined),
    };
  }

  async function share(): Promise<void> {
    // Each receives what the others sent before.
    for (const { limits, redis } of [ ...nodes, ...nodes ]) {
      await limits.share(redis);
    }
  }

  it('are shared, for callers and for addresses.', async(): Promise<void> => {
    const [ one, other ] = nodes;
    const request = requestFrom(address);
    for (let time = 0; time < limit / 2; time += 1) {
      for (const { limits } of nodes) {
        limits.checkCaller(caller);
        expect(limits.admit(request, new ServerResponse(request))).toBeUndefined();
      }
    }
    await share();
    for (const { limits } of nodes) {
      expect((): unknown => limits.checkCaller(caller)).toThrow(TooManyRequests);
      const response = new ServerResponse(request);
      expect(limits.admit(request, response)).toBeInstanceOf(TooManyRequests);
      expect(response.getHeader('RateLimit')).toBe('"address";r=0;t=30');
      expect((): unknown => limits.checkCaller(`${caller}2`)).not.toThrow();
    }
    expect(one.limits.admit(requestFrom('198.51.101.7'), new ServerResponse(request))).toBeUndefined();
    expect(other.limits.admit(requestFrom('198.51.101.7'), new ServerResponse(request))).toBeUndefined();
  });

  it('leave neither WebIDs nor addresses in Redis, and nothing for long.', async(): Promise<void> => {
    const [{ limits }] = nodes;
    limits.checkCaller(caller);
    limits.admit(requestFrom(address), new ServerResponse(requestFrom(address)));
    await share();
    const redis = new Redis(redisUrl!);
    const names = await redis.keys('css-data-sharing:limits:*');
    expect(names.length).toBeGreaterThanOrEqual(2);
    for (const name of names) {
      expect(name).toMatch(/^css-data-sharing:limits:(?:address|caller|failures):\d+:[\w-]{43}$/u);
      await expect(redis.ttl(name)).resolves.toBeLessThanOrEqual(120);
    }
    await redis.quit();
  });
});

/** Resolves when the connection is open: additions before that are refused. */
async function ready(counts: RedisCounts): Promise<void> {
  const { redis } = counts as unknown as { redis: Redis };
  if (redis.status !== 'ready') {
    await once(redis, 'ready');
  }
}
