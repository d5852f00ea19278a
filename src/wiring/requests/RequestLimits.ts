import type { IncomingMessage, ServerResponse } from 'node:http';
import { Initializer } from '@solid/community-server';
import type { Finalizable } from '@solid/community-server';
import { ClientAddresses, readProxyHeader, readTrustedProxies } from '../../limits/ClientAddresses';
import { RateLimits } from '../../limits/RateLimits';
import { RedisCounts } from '../../limits/RedisCounts';
import type { ClientGate } from '../../server/sockets/ClientGate';
import { cssLogger } from '../../server/process/CssLogger';
import { RefusedSetting } from '../../platform/RefusedSetting';
import { messageOf } from '../../platform/errors';

/** Options of {@link RequestLimits}. */
export interface RequestLimitsArgs {
  /** Maximum requests per minute from one address; 0 for no limit. */
  rateLimitPerAddress: number;
  /** Maximum requests per minute from one caller; 0 for no limit. */
  rateLimitPerCaller: number;
  /** Maximum failed authentications per minute from one address; 0 for no limit. */
  rateLimitFailures: number;
  /** Number of proxies in front of this server, or their addresses and networks, or empty. */
  trustedProxies: string;
  /** Header in which the trusted proxies name the client: `X-Forwarded-For` or `Forwarded`. */
  proxyHeader: string;
  /** URL of a Redis server through which several processes count requests together, or empty. */
  rateLimitRedis: string;
}

const shareEveryMs = 1000;

/** The operator's limits on requests, and the sharing of counts between processes. */
export class RequestLimits extends Initializer implements ClientGate, Finalizable {
  /** The limits, asked at every request. */
  public readonly limits: RateLimits;

  private readonly logger = cssLogger('RequestLimits');
  private readonly addresses: ClientAddresses;
  private readonly redisUrl: string;
  private redis?: RedisCounts;
  private timer?: NodeJS.Timeout;
  private reachable = true;

  public constructor(args: RequestLimitsArgs) {
    super();
    this.redisUrl = readRedisUrl(args.rateLimitRedis);
    this.addresses = new ClientAddresses(readTrustedProxies(args.trustedProxies), readProxyHeader(args.proxyHeader));
    this.limits = new RateLimits({
      perAddress: readLimit('rateLimitPerAddress', args.rateLimitPerAddress),
      perCaller: readLimit('rateLimitPerCaller', args.rateLimitPerCaller),
      failures: readLimit('rateLimitFailures', args.rateLimitFailures),
      addresses: this.addresses,
      now: (): Date => new Date(),
    });
  }

  /** Begins to share counts, when there is a Redis server. */
  public async handle(): Promise<void> {
    if (this.redisUrl !== '' && !this.redis) {
      const redis = new RedisCounts(this.redisUrl, (error): void => this.lose(error));
      this.redis = redis;
      this.timer = setInterval((): unknown => this.share(redis), shareEveryMs).unref();
    }
  }

  public addressOf(request: IncomingMessage): string | undefined {
    return this.addresses.keyOf(request);
  }

  public refuses(request: IncomingMessage, response: ServerResponse): boolean {
    const refused = this.limits.admit(request, response);
    for (const [ name, value ] of Object.entries(refused?.headers ?? {})) {
      response.setHeader(name, value);
    }
    return refused !== undefined;
  }

  public async finalize(): Promise<void> {
    clearInterval(this.timer);
    this.redis?.close();
  }

  private async share(redis: RedisCounts): Promise<void> {
    try {
      await this.limits.share(redis);
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

function readLimit(flag: string, value: unknown): number {
  if (!/^\d{1,9}$/u.test(String(value))) {
    throw new RefusedSetting(`--${flag} must be a whole number, 0 for no limit`);
  }
  return Number(value);
}

function readRedisUrl(url: string): string {
  if (url !== '' && !/^rediss?:\/\/./u.test(url)) {
    throw new RefusedSetting('--rateLimitRedis must be a redis:// or rediss:// URL');
  }
  return url;
}
