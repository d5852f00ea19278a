import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Problem } from '../problems';
import { wrongMethod } from './wrongMethod';

/** Checks whether a dependency can be reached: rejects when it cannot. */
export type HealthCheck = () => Promise<unknown>;

/** Time for which a check of all dependencies is cached, so that frequent requests cause no load. */
const freshMs = 1000;

/** Paths of the endpoints, with any query. */
const endpoints = /^\/\.health\/(?:live|ready)(?:\?|$)/u;

/**
 * Health endpoints for load balancers, without a token: `/.health/live` when the process responds, `/.health/ready`
 * when it can serve. They reveal nothing else.
 */
export class Health {
  private draining = false;
  private last?: { endedAt?: number; ready: Promise<boolean> };

  /**
   * @param checks - Run in parallel for `/.health/ready`.
   * @param timeoutMs - Timeout for all of them together.
   */
  public constructor(
    private readonly checks: HealthCheck[],
    private readonly timeoutMs = 2000,
  ) {}

  /** True when this process is about to stop. */
  public get isDraining(): boolean {
    return this.draining;
  }

  /** Makes this process report that it is not ready, while it continues to serve. */
  public drain(): void {
    this.draining = true;
  }

  /** Checks for a request for one of the two endpoints. */
  public owns({ method = '', url = '' }: Pick<IncomingMessage, 'method' | 'url'>): boolean {
    return /^(?:GET|HEAD)$/u.test(method) && endpoints.test(url);
  }

  /** Returns the methods of one of the two endpoints in the form of the `Allow` header; `undefined` for other paths. */
  public allowedMethods({ url = '' }: Pick<IncomingMessage, 'url'>): string | undefined {
    return endpoints.test(url) ? 'GET, HEAD, OPTIONS' : undefined;
  }

  /** Returns the problem of a request for one of the two endpoints by another method. */
  public findWrongMethod(request: Pick<IncomingMessage, 'method' | 'url'>): Problem | undefined {
    const allowed = this.owns(request) ? undefined : this.allowedMethods(request);
    return allowed === undefined ? undefined : wrongMethod(String(request.method), allowed);
  }

  /** Handles a request for one of the two endpoints. */
  public async handle(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { method, url = '' } = request;
    const isLive = url.startsWith('/.health/live');
    const isGood = isLive || (await this.isWell() && !this.draining);
    const body = JSON.stringify({ status: isGood ? 'ok' : 'unavailable' });
    response.writeHead(isGood ? 200 : 503, {
      'content-type': 'application/json',
      'content-length': body.length,
      'cache-control': 'no-store',
    });
    response.end(method === 'HEAD' ? undefined : body);
  }

  /** Checks whether all dependencies could be reached within the last second. */
  public async isWell(): Promise<boolean> {
    if (!this.last || performance.now() - (this.last.endedAt ?? Infinity) > freshMs) {
      const look: Health['last'] = { ready: this.check() };
      this.last = look;
      await look.ready;
      look.endedAt = performance.now();
    }
    return this.last.ready;
  }

  private async check(): Promise<boolean> {
    let timer: NodeJS.Timeout | undefined;
    const late = new Promise<boolean>((resolve): void => {
      timer = setTimeout((): void => resolve(false), this.timeoutMs);
    });
    const all = Promise.all(this.checks.map(async(check): Promise<unknown> => check()))
      .then((): boolean => true, (): boolean => false);
    try {
      return await Promise.race([ all, late ]);
    } finally {
      clearTimeout(timer);
    }
  }
}
