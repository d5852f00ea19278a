import type { IncomingMessage, ServerResponse } from 'node:http';
import { Initializer } from '@solid/community-server';
import type { Finalizable } from '@solid/community-server';
import { ClientAddresses, readProxyHeader, readTrustedProxies } from '../../limits/ClientAddresses';
import { CountsExchange, readRedisUrl } from '../../limits/CountsExchange';
import { RateLimits, readLimit } from '../../limits/RateLimits';
import { systemClock } from '../../platform/clock';
import type { ClientGate } from '../../server/sockets/ClientGate';
import { cssLogger } from '../../server/process/CssLogger';

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

/** The operator's limits on requests, and the sharing of counts between processes. */
export class RequestLimits extends Initializer implements ClientGate, Finalizable {
  /** The limits, asked at every request. */
  public readonly limits: RateLimits;

  private readonly logger = cssLogger('RequestLimits');
  private readonly addresses: ClientAddresses;
  private readonly redisUrl: string;
  private exchange?: CountsExchange;

  public constructor(args: RequestLimitsArgs) {
    super();
    this.redisUrl = readRedisUrl(args.rateLimitRedis);
    this.addresses = new ClientAddresses(readTrustedProxies(args.trustedProxies), readProxyHeader(args.proxyHeader));
    this.limits = new RateLimits({
      perAddress: readLimit('rateLimitPerAddress', args.rateLimitPerAddress),
      perCaller: readLimit('rateLimitPerCaller', args.rateLimitPerCaller),
      failures: readLimit('rateLimitFailures', args.rateLimitFailures),
      addresses: this.addresses,
      now: systemClock,
    });
  }

  /** Begins to share counts, when there is a Redis server. */
  public async handle(): Promise<void> {
    if (this.redisUrl !== '') {
      this.exchange ??= new CountsExchange(this.redisUrl, this.limits, this.logger);
    }
  }

  public addressOf(request: IncomingMessage): string | undefined {
    return this.addresses.keyOf(request);
  }

  public refuses(request: IncomingMessage, response: ServerResponse): boolean {
    const refused = this.limits.admit(request, response);
    response.setHeaders(new Map(Object.entries(refused?.headers ?? {})));
    return refused !== undefined;
  }

  public async finalize(): Promise<void> {
    this.exchange?.stop();
  }
}
