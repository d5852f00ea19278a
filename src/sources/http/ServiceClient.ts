import { createHash } from 'node:crypto';
import {
  BrokenCircuitError,
  circuitBreaker,
  CircuitState,
  ExponentialBackoff,
  handleType,
  retry,
  wrap,
} from 'cockatiel';
import type { CircuitBreakerPolicy, IPolicy } from 'cockatiel';
import { SourceFailure } from '../Source';
import { boundedFetch, isJsonType, mediaTypeOf, placeOf, TooLarge, TransientFailure } from './boundedFetch';
import type { ClientCredentials } from './ClientCredentials';
import type { OutageSigns } from './DistinctFailures';
import { DistinctFailures } from './DistinctFailures';

/** Limits on calls to a service. */
export interface ServiceLimits {
  /** Timeout for each attempt. */
  timeoutMs: number;
  maxAnswerBytes: number;
  /** Attempts after the first. */
  retries: number;
  /** Delay before the first of these; later delays are longer. */
  retryDelayMs: number;
  /**
   * Consecutive failures after which the service is not called for a while. After as many of one request, that request
   * alone is not sent.
   */
  breakAfter: OutageSigns;
  /**
   * Duration of that pause. A single attempt afterwards decides whether it ends: one of another request than those that
   * failed lately, or, after twice as long, of any.
   */
  breakMs: number;
}

/** Limits for a service that responds while a person waits. */
export const serviceLimits: ServiceLimits = {
  timeoutMs: 5000,
  maxAnswerBytes: 5 * 1024 * 1024,
  retries: 2,
  retryDelayMs: 200,
  breakAfter: { failures: 6, requests: 3 },
  breakMs: 15_000,
};

/**
 * Calls a JSON service with an access token. Repeats a call without a response, or with 5xx or 429. After several
 * consecutive failures, calls fail immediately for a while.
 *
 * No message contains what was sent or received, because that is personal data.
 */
export class ServiceClient {
  private readonly policy: IPolicy;
  private readonly failures: DistinctFailures;
  private readonly circuit: CircuitBreakerPolicy;

  public constructor(
    private readonly endpoint: string,
    private readonly credentials: ClientCredentials,
    private readonly limits: ServiceLimits = serviceLimits,
  ) {
    const transient = handleType(TransientFailure);
    this.failures = new DistinctFailures(limits.breakAfter);
    this.circuit = circuitBreaker(transient, { halfOpenAfter: limits.breakMs, breaker: this.failures });
    this.policy = wrap(
      retry(transient, {
        maxAttempts: limits.retries,
        backoff: new ExponentialBackoff({ initialDelay: limits.retryDelayMs }),
      }),
      this.circuit,
    );
  }

  /**
   * Posts JSON to `{endpoint}/{operation}`, and returns the JSON response.
   *
   * @throws SourceFailure
   */
  public async post(operation: string, body: object): Promise<unknown> {
    const url = `${this.endpoint}/${operation}`;
    const text = JSON.stringify(body);
    // Not the text itself, which is personal data.
    const request = createHash('sha256').update(url).update(text).digest('base64url');
    try {
      if (this.isPaused(request)) {
        throw new BrokenCircuitError();
      }
      return await this.policy.execute(async(): Promise<unknown> => this.noted(request, this.attempt(url, text)));
    } catch (error: unknown) {
      throw asSourceFailure(error, placeOf(url));
    }
  }

  /** Checks whether a request keeps failing, or failed lately in an outage of the service. */
  private isPaused(request: string): boolean {
    const { breakMs } = this.limits;
    return this.failures.keepsFailing(request, breakMs) ||
      (this.circuit.state !== CircuitState.Closed && this.failures.hasFailed(request, 2 * breakMs));
  }

  private async noted<T>(request: string, attempt: Promise<T>): Promise<T> {
    try {
      const answer = await attempt;
      this.failures.forget(request);
      return answer;
    } catch (error: unknown) {
      if (error instanceof TransientFailure) {
        this.failures.note(request);
      }
      throw error;
    }
  }

  private async attempt(url: string, body: string): Promise<unknown> {
    const token = await this.credentials.get();
    const response = await this.send(url, body, token);
    return readJson(response.status === 401 ?
        await this.send(url, body, await this.credentials.get(token)) :
      response, placeOf(url));
  }

  private async send(url: string, body: string, token: string): Promise<Response> {
    const { timeoutMs, maxAnswerBytes } = this.limits;
    return boundedFetch(url, {
      method: 'POST',
      headers: [
        [ 'Accept', 'application/json' ],
        [ 'Content-Type', 'application/json' ],
        [ 'Authorization', `Bearer ${token}` ],
      ],
      body,
    }, { timeoutMs, maxBytes: maxAnswerBytes });
  }
}

async function readJson(response: Response, place: string): Promise<unknown> {
  if (response.status !== 200) {
    throw new SourceFailure(`${place} answered ${response.status}`);
  }
  if (!isJsonType(mediaTypeOf(response))) {
    throw new SourceFailure(`${place} did not return JSON`);
  }
  try {
    return await response.json();
  } catch {
    // Omits the cause, because it quotes the response.
    throw new SourceFailure(`${place} returned malformed JSON`);
  }
}

function asSourceFailure(error: unknown, place: string): unknown {
  if (error instanceof TransientFailure || error instanceof TooLarge) {
    return new SourceFailure(error.message, { cause: error.cause });
  }
  if (error instanceof BrokenCircuitError) {
    return new SourceFailure(`${place} is not called for a while: it failed several times in a row`);
  }
  return error;
}
