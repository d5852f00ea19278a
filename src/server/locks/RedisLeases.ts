import { randomUUID } from 'node:crypto';
import { Redis } from 'ioredis';

/** Readers share a lease; a writer has it alone. */
export type LeaseKind = 'read' | 'write';

/** Options of {@link RedisLeases}. */
export interface RedisLeasesOptions {
  /** `redis://` or `rediss://` URL. */
  url: string;
  /** Time for which a lease outlives a killed holder. */
  leaseMs?: number;
  /** Maximum wait for a lease that others hold. */
  patienceMs?: number;
  /** Time for which a writer waits for readers to finish by themselves. */
  writerPatienceMs?: number;
}

const waitMs = 30;

/**
 * KEYS: writer's token, readers' tokens by expiry, mark of a writer that has waited too long. ARGV: token, duration of
 * a lease, and for a writer 1 when it has waited too long. All times are those of the clock of Redis.
 */
const time = `
local time = redis.call('time')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
redis.call('zremrangebyscore', KEYS[2], '-inf', now)
`;

const scripts = {
  acquireread: `${time}
    if redis.call('exists', KEYS[1], KEYS[3]) > 0 then return 0 end
    redis.call('zadd', KEYS[2], now + ARGV[2], ARGV[1])
    redis.call('pexpire', KEYS[2], ARGV[2])
    return 1`,
  acquirewrite: `${time}
    if redis.call('zcard', KEYS[2]) > 0 then
      if ARGV[3] == '1' then redis.call('set', KEYS[3], 1, 'PX', ARGV[2]) end
      return 0
    end
    if not redis.call('set', KEYS[1], ARGV[1], 'NX', 'PX', ARGV[2]) then return 0 end
    redis.call('del', KEYS[3])
    return 1`,
  renewread: `${time}
    if not redis.call('zscore', KEYS[2], ARGV[1]) then return 0 end
    if redis.call('exists', KEYS[3]) == 1 then
      redis.call('zrem', KEYS[2], ARGV[1])
      return 0
    end
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

type Keys = readonly [writer: string, readers: string, mark: string];
type Script = (...args: [...Keys, token: string, ms: number, isOverdue?: 0 | 1]) => Promise<number>;
type Scripts = Record<keyof typeof scripts, Script>;

/**
 * Locks of many readers or one writer in Redis that expire. Their holder renews them; those of a killed process are
 * free after a few seconds, without touching other nodes' locks.
 *
 * Slow readers, such as clients that read a response byte by byte, lose their lease when a writer has waited for some
 * time, on whichever node.
 */
export class RedisLeases {
  private readonly redis: Redis & Scripts;
  private readonly leaseMs: number;
  private readonly patienceMs: number;
  private readonly writerPatienceMs: number;
  /** Reason why Redis cannot be reached. */
  private connectionError?: Error;

  public constructor({ url, leaseMs = 8000, patienceMs = 30_000, writerPatienceMs = 10_000 }: RedisLeasesOptions) {
    this.leaseMs = leaseMs;
    this.patienceMs = patienceMs;
    this.writerPatienceMs = writerPatienceMs;
    // A command that cannot be sent fails soon; the client reconnects in the background. The scripts are defined below.
    this.redis = new Redis(url, {
      lazyConnect: true,
      connectTimeout: 2000,
      commandTimeout: 3000,
      maxRetriesPerRequest: 1,
      // The address may lead to another server by now.
      reconnectOnError: ({ message }): boolean => message.includes('READONLY'),
    }) as Redis & Scripts;
    // The error of a failed command only says how often it was tried.
    this.redis.on('error', (error: Error): void => {
      this.connectionError = error;
    });
    this.redis.on('ready', (): void => {
      this.connectionError = undefined;
    });
    for (const [ name, lua ] of Object.entries(scripts)) {
      this.redis.defineCommand(name, { numberOfKeys: 3, lua });
    }
  }

  /**
   * Runs work under a lease. If the lease is lost meanwhile, the work continues, but its result is an error.
   *
   * @throws Error when Redis does not respond, others keep the lease too long, or it is lost.
   */
  public async hold<T>(kind: LeaseKind, name: string, work: () => Promise<T>): Promise<T> {
    const key = `css-data-sharing:{${name}}`;
    const keys = [ `${key}:writer`, `${key}:readers`, `${key}:mark` ] as const;
    const token = randomUUID();
    await this.acquire(kind, keys, token);
    const lease = this.renewing(kind, keys, token);
    try {
      return await Promise.race([ work(), lease.lost ]);
    } finally {
      lease.stop();
      // A lease that cannot be released expires by itself.
      await this.redis[`release${kind}`](...keys, token, this.leaseMs).catch((): undefined => undefined);
    }
  }

  /**
   * Resolves when Redis responds.
   *
   * @throws Error with the reason why it cannot be reached.
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

  private async acquire(kind: LeaseKind, keys: Keys, token: string): Promise<void> {
    const begin = performance.now();
    let isOverdue: 0 | 1 = 0;
    while (await this.redis[`acquire${kind}`](...keys, token, this.leaseMs, isOverdue) !== 1) {
      const waited = performance.now() - begin;
      isOverdue = waited > this.writerPatienceMs ? 1 : 0;
      if (waited > this.patienceMs) {
        throw new Error('A lock is held elsewhere for too long');
      }
      await pause(waitMs * (0.5 + Math.random()));
    }
  }

  private renewing(
    kind: LeaseKind,
    keys: Keys,
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
          reject(new Error('A lock was lost: others waited, or Redis or this process did not answer, for too long'));
        }
      };
      timer = setInterval((): void => {
        renew().catch(reject);
      }, this.leaseMs / 4);
    });
    // Possibly without a listener by now.
    lost.catch((): undefined => undefined);
    return { lost, stop: (): void => clearInterval(timer) };
  }
}

async function pause(ms: number): Promise<void> {
  return new Promise((resolve): void => {
    setTimeout(resolve, ms);
  });
}
