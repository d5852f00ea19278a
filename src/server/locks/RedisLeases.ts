import { randomUUID } from 'node:crypto';
import { Redis } from 'ioredis';

/** Readers share a lease, a writer has it alone. */
export type LeaseKind = 'read' | 'write';

/** Options of {@link RedisLeases}. */
export interface RedisLeasesOptions {
  /** `redis://` or `rediss://` URL. */
  url: string;
  /** For how long a lease outlives a process that holds it and is gone. */
  leaseMs?: number;
  /** For how long a lease that others hold is waited for. */
  patienceMs?: number;
}

const waitMs = 30;

/** KEYS: writer's token, readers' tokens by end. ARGV: token, length of a lease. One moment for all: that of Redis. */
const time = `
local time = redis.call('time')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
redis.call('zremrangebyscore', KEYS[2], '-inf', now)
`;

const scripts = {
  acquireread: `${time}
    if redis.call('exists', KEYS[1]) == 1 then return 0 end
    redis.call('zadd', KEYS[2], now + ARGV[2], ARGV[1])
    redis.call('pexpire', KEYS[2], ARGV[2])
    return 1`,
  acquirewrite: `${time}
    if redis.call('zcard', KEYS[2]) > 0 then return 0 end
    if redis.call('set', KEYS[1], ARGV[1], 'NX', 'PX', ARGV[2]) then return 1 end
    return 0`,
  renewread: `${time}
    if not redis.call('zscore', KEYS[2], ARGV[1]) then return 0 end
    redis.call('zadd', KEYS[2], now + ARGV[2], ARGV[1])
    redis.call('pexpire', KEYS[2], ARGV[2])
    return 1`,
  renewwrite: `
    if redis.call('get', KEYS[1]) ~= ARGV[1] then return 0 end
    redis.call('pexpire', KEYS[1], ARGV[2])
    return 1`,
  releaseread: `return redis.call('zrem', KEYS[2], ARGV[1])`,
  releasewrite: `
    if redis.call('get', KEYS[1]) ~= ARGV[1] then return 0 end
    return redis.call('del', KEYS[1])`,
};

type Script = (writer: string, readers: string, token: string, ms: number) => Promise<number>;
type Scripts = Record<keyof typeof scripts, Script>;

/**
 * Locks of many readers or one writer in Redis that expire: their holder renews them, and those of a killed process are
 * free after a few seconds, without touching other nodes' locks.
 */
export class RedisLeases {
  private readonly redis: Redis & Scripts;
  private readonly leaseMs: number;
  private readonly patienceMs: number;
  /** Why Redis cannot be reached. */
  private connectionError?: Error;

  public constructor({ url, leaseMs = 8000, patienceMs = 30_000 }: RedisLeasesOptions) {
    this.leaseMs = leaseMs;
    this.patienceMs = patienceMs;
    // A command that cannot be sent fails soon, and the connection is made again in the background.
    this.redis = new Redis(url, {
      lazyConnect: true,
      connectTimeout: 2000,
      commandTimeout: 3000,
      maxRetriesPerRequest: 1,
    }) as Redis & Scripts;
    // Each command fails by itself, but only with how often it was tried.
    this.redis.on('error', (error: Error): void => {
      this.connectionError = error;
    });
    this.redis.on('ready', (): void => {
      this.connectionError = undefined;
    });
    for (const [ name, lua ] of Object.entries(scripts)) {
      this.redis.defineCommand(name, { numberOfKeys: 2, lua });
    }
  }

  /**
   * Runs work under a lease. The work goes on when the lease is lost meanwhile, but its result is not given.
   *
   * @throws Error when Redis does not answer, others do not let go of it in time, or it is lost.
   */
  public async hold<T>(kind: LeaseKind, name: string, work: () => Promise<T>): Promise<T> {
    const keys = [ `css-data-sharing:{${name}}:writer`, `css-data-sharing:{${name}}:readers` ] as const;
    const token = randomUUID();
    await this.acquire(kind, keys, token);
    const lease = this.renewing(kind, keys, token);
    try {
      return await Promise.race([ work(), lease.lost ]);
    } finally {
      lease.stop();
      // One that cannot be given back ends by itself.
      await this.redis[`release${kind}`](...keys, token, this.leaseMs).catch((): undefined => undefined);
    }
  }

  /**
   * Resolves when Redis responds.
   *
   * @throws Error that says why it cannot be reached.
   */
  public async ping(): Promise<void> {
    try {
      await this.redis.ping();
    } catch (error: unknown) {
      throw this.connectionError ?? error;
    }
  }

  public async close(): Promise<void> {
    await this.redis.quit().catch((): void => this.redis.disconnect());
  }

  private async acquire(kind: LeaseKind, keys: readonly [string, string], token: string): Promise<void> {
    const deadline = performance.now() + this.patienceMs;
    while (await this.redis[`acquire${kind}`](...keys, token, this.leaseMs) !== 1) {
      if (performance.now() > deadline) {
        throw new Error('A lock is held elsewhere for too long');
      }
      await pause(waitMs * (0.5 + Math.random()));
    }
  }

  private renewing(
    kind: LeaseKind,
    keys: readonly [string, string],
    token: string,
  ): { lost: Promise<never>; stop: () => void } {
    let timer: NodeJS.Timeout | undefined;
    const lost = new Promise<never>((...[ , reject ]): void => {
      let end = performance.now() + this.leaseMs;
      const renew = async(): Promise<void> => {
        const begin = performance.now();
        const isHeld = await this.redis[`renew${kind}`](...keys, token, this.leaseMs).catch((): undefined => undefined);
        if (isHeld === 1) {
          end = begin + this.leaseMs;
        } else if (isHeld === 0 || performance.now() > end) {
          clearInterval(timer);
          reject(new Error('A lock was lost: Redis or this process did not answer for too long'));
        }
      };
      timer = setInterval((): void => {
        renew().catch(reject);
      }, this.leaseMs / 4);
    });
    // Nobody may be listening any more.
    lost.catch((): undefined => undefined);
    return { lost, stop: (): void => clearInterval(timer) };
  }
}

async function pause(ms: number): Promise<void> {
  return new Promise((resolve): void => {
    setTimeout(resolve, ms);
  });
}
