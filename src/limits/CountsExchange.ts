import { messageOf } from '../platform/errors';
import type { Logger } from '../platform/logger';
import { RefusedSetting } from '../platform/RefusedSetting';
import type { RateLimits } from './RateLimits';
import { RedisCounts } from './RedisCounts';

const shareEveryMs = 1000;

/** Exchanges the counts of requests with other processes, through Redis, every second. */
export class CountsExchange {
  private readonly limits: RateLimits;
  private readonly logger: Pick<Logger, 'warn'>;
  private readonly redis: RedisCounts;
  private readonly timer: NodeJS.Timeout;
  private reachable = true;

  /**
   * @param redisUrl - URL of the Redis server.
   * @param limits - Counts of this process.
   * @param logger - Logs the loss of Redis.
   */
  public constructor(redisUrl: string, limits: RateLimits, logger: Pick<Logger, 'warn'>) {
    this.limits = limits;
    this.logger = logger;
    this.redis = new RedisCounts(redisUrl, (error): void => this.lose(error));
    this.timer = setInterval((): unknown => this.share(), shareEveryMs).unref();
  }

  public stop(): void {
    clearInterval(this.timer);
    this.redis.close();
  }

  private async share(): Promise<void> {
    try {
      await this.limits.share(this.redis);
      this.reachable = true;
    } catch (error: unknown) {
      this.lose(error);
    }
  }

  /** Logs the loss once: requests continue, and each process counts by itself. */
  private lose(error: unknown): void {
    if (this.reachable) {
      this.logger.warn(`Limits on requests are not shared, Redis cannot be reached: ${messageOf(error)}`);
    }
    this.reachable = false;
  }
}

/** @throws RefusedSetting for anything but a URL of Redis or an empty text. */
export function readRedisUrl(url: string): string {
  if (url !== '' && !/^rediss?:\/\/./u.test(url)) {
    throw new RefusedSetting('--rateLimitRedis must be a redis:// or rediss:// URL');
  }
  return url;
}
