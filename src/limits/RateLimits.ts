import { hash } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Clock } from '../platform/clock';
import { RefusedSetting } from '../platform/RefusedSetting';
import { TooManyFailures, TooManyRequests } from '../problems';
import type { Problem } from '../problems';
import type { ClientAddresses } from './ClientAddresses';
import type { SharedCounts, Standing } from './RateCounter';
import { RateCounter } from './RateCounter';

/** Maximum requests in a minute; 0 for no limit. */
export interface RateLimitsOptions {
  perAddress: number;
  perCaller: number;
  /** Failed authentications of one address. */
  failures: number;
  addresses: ClientAddresses;
  now: Clock;
}

const windowSeconds = 60;
/** Number of failures for which a wrong password counts. */
const wrongPassword = 20;
/** Requests that store something or burden others, and count as failures whatever their response. */
const costs: ReadonlyMap<string, number> = new Map([
  [ 'POST /.account/login/password/forgot', wrongPassword ],
  [ 'POST /.account/account', 4 ],
  [ 'POST /.account/login/national', 2 ],
  [ 'GET /.oidc/auth', 1 ],
  [ 'POST /.oidc/auth', 1 ],
  [ 'POST /.oidc/reg', 10 ],
  [ 'POST /.oidc/request', 1 ],
]);
/** An app asks whether somebody is logged in, which stores nothing. */
const silent = /^GET \/\.oidc\/auth\?(?:.*&)?prompt=none(?:&|$)/u;

/**
 * Limits requests: by address before anything else, by caller after the token is verified, and by address on failed
 * authentications.
 *
 * @see [RateLimit header fields for HTTP](https://datatracker.ietf.org/doc/html/draft-ietf-httpapi-ratelimit-headers)
 */
export class RateLimits {
  private readonly addresses: ClientAddresses;
  private readonly now: Clock;
  private readonly perAddress?: RateCounter;
  private readonly perCaller?: RateCounter;
  private readonly failures?: RateCounter;

  public constructor({ perAddress, perCaller, failures, addresses, now }: RateLimitsOptions) {
    this.addresses = addresses;
    this.now = now;
    this.perAddress = counter('address', perAddress);
    this.perCaller = counter('caller', perCaller);
    this.failures = counter('failures', failures);
  }

  /**
   * Counts a request by its address, and reports the limit in the headers of the response.
   *
   * @returns The problem to respond with when the limit is exceeded.
   */
  public admit(request: IncomingMessage, response: ServerResponse): Problem | undefined {
    const key = this.addresses.keyOf(request);
    if (key === undefined) {
      return;
    }
    const now = this.now().getTime();
    if (this.perAddress) {
      const standing = this.perAddress.count(key, now);
      setHeaders(response, this.perAddress, standing);
      if (standing.exceeded) {
        return new TooManyRequests('Too many requests from this address.', retryAfter(standing));
      }
    }
    if (this.failures && provesSomething(request)) {
      const standing = this.failures.look(key, now);
      if (standing.remaining === 0) {
        return new TooManyFailures(undefined, retryAfter(standing));
      }
    }
  }

  /**
   * Counts a request by its caller, and reports the limit in the headers of the response.
   *
   * @throws TooManyRequests
   */
  public checkCaller(webId: string, response?: ServerResponse): void {
    if (!this.perCaller) {
      return;
    }
    const standing = this.perCaller.count(webId, this.now().getTime());
    if (response) {
      setHeaders(response, this.perCaller, standing);
    }
    if (standing.exceeded) {
      throw new TooManyRequests('Too many requests from this caller.', retryAfter(standing));
    }
  }

  /** Counts a response that refused the authentication of its request. */
  public observe(request: IncomingMessage, status: number): void {
    const { failures } = this;
    const weight = failures ? failureWeight(request, status) : 0;
    const key = weight > 0 ? this.addresses.keyOf(request) : undefined;
    if (failures && key !== undefined) {
      failures.count(key, this.now().getTime(), weight);
    }
  }

  /** Exchanges counts with other processes. */
  public async share(shared: SharedCounts): Promise<void> {
    const now = this.now().getTime();
    for (const each of [ this.perAddress, this.perCaller, this.failures ]) {
      await each?.share(hashed(shared), now);
    }
  }
}

function counter(name: string, limit: number): RateCounter | undefined {
  return limit === 0 ? undefined : new RateCounter({ name, limit, windowSeconds });
}

/** Hashes keys, so that neither addresses nor WebIDs leave the process. */
function hashed(shared: SharedCounts): SharedCounts {
  return {
    add: async(policy, window, seconds, added): Promise<number[]> => shared.add(policy, window, seconds, added
      .map(([ key, count ]): [ string, number ] => [ hash('sha256', key, 'base64url'), count ])),
  };
}

function setHeaders(
  response: ServerResponse,
  { name, limit }: RateCounter,
  { remaining, resetSeconds }: Standing,
): void {
  response.setHeader('RateLimit-Policy', `"${name}";q=${limit};w=${windowSeconds}`);
  response.setHeader('RateLimit', `"${name}";r=${remaining};t=${resetSeconds}`);
}

function retryAfter({ resetSeconds }: Standing): { headers: Record<string, string> } {
  return { headers: { 'Retry-After': String(resetSeconds) }};
}

function provesSomething(request: IncomingMessage): boolean {
  return request.headers.authorization !== undefined || isLogin(request) || costOf(request) > 0;
}

function isLogin({ method, url }: IncomingMessage): boolean {
  return method === 'POST' && url?.startsWith('/.account/login/') === true;
}

/** Returns the cost of requests without log-in that store something or burden others, whatever their response. */
function costOf({ method = '', url = '' }: IncomingMessage): number {
  const asked = `${method === 'HEAD' ? 'GET' : method} ${url}`;
  return silent.test(asked) ? 0 : costs.get(asked.replace(/\?.*$/u, '').replace(/\/$/u, '')) ?? 0;
}

function failureWeight(request: IncomingMessage, status: number): number {
  const cost = costOf(request);
  if (cost > 0) {
    return cost;
  }
  if (isLogin(request)) {
    // A failure of this server, or of a provider, proves nothing.
    return status >= 400 && status < 500 ? wrongPassword : 0;
  }
  return status === 401 && request.headers.authorization !== undefined ? 1 : 0;
}

/**
 * Parses the setting of a limit.
 *
 * @throws RefusedSetting
 */
export function readLimit(flag: string, value: unknown): number {
  if (!/^\d{1,9}$/u.test(String(value))) {
    throw new RefusedSetting(`--${flag} must be a whole number, 0 for no limit`);
  }
  return Number(value);
}
