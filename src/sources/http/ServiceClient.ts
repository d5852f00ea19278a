import {
  BrokenCircuitError,
  circuitBreaker,
  ConsecutiveBreaker,
  ExponentialBackoff,
  handleType,
  retry,
  wrap,
} from 'cockatiel';
import type { IPolicy } from 'cockatiel';
import { SourceFailure } from '../Source';
import { boundedFetch, isJsonType, mediaTypeOf, placeOf, TooLarge, TransientFailure } from './boundedFetch';
import type { ClientCredentials } from './ClientCredentials';

/** How hard a service is tried. */
export interface ServiceLimits {
  /** Of each try. */
  timeoutMs: number;
  maxAnswerBytes: number;
  /** Tries after the first one. */
  retries: number;
  /** Before the first of them; later ones wait longer. */
  retryDelayMs: number;
  /** Failed tries in a row after which the service is left alone. */
  breakAfter: number;
  /** For how long. Then one try decides. */
  breakMs: number;
}

/** Limits that suit a service which answers while a person waits. */
export const serviceLimits: ServiceLimits = {
  timeoutMs: 5000,
  maxAnswerBytes: 5 * 1024 * 1024,
  retries: 2,
  retryDelayMs: 200,
  breakAfter: 6,
  breakMs: 15_000,
};

/**
 * Calls a JSON service with a token of ours. A call that got no answer, 5xx or 429 is made again; after several such in
 * a row the service is left alone for a while, and calls fail at once.
 *
 * No message holds what was sent or answered: that is personal data.
 */
export class ServiceClient {
  private readonly policy: IPolicy;

  public constructor(
    private readonly endpoint: string,
    private readonly credentials: ClientCredentials,
    private readonly limits: ServiceLimits = serviceLimits,
  ) {
    const transient = handleType(TransientFailure);
    this.policy = wrap(
      retry(transient, {
        maxAttempts: limits.retries,
        backoff: new ExponentialBackoff({ initialDelay: limits.retryDelayMs }),
      }),
      circuitBreaker(transient, { halfOpenAfter: limits.breakMs, breaker: new ConsecutiveBreaker(limits.breakAfter) }),
    );
  }

  /**
   * Posts JSON to `{endpoint}/{operation}`, and answers the JSON that came back.
   *
   * @throws SourceFailure
   */
  public async post(operation: string, body: object): Promise<unknown> {
    const url = `${this.endpoint}/${operation}`;
    try {
      return await this.policy.execute(async(): Promise<unknown> => this.attempt(url, JSON.stringify(body)));
    } catch (error: unknown) {
      throw asSourceFailure(error, placeOf(url));
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
    throw new SourceFailure(`${place} answered something else than JSON`);
  }
  try {
    return await response.json();
  } catch {
    // Without cause: it quotes the answer.
    throw new SourceFailure(`${place} answered malformed JSON`);
  }
}

function asSourceFailure(error: unknown, place: string): unknown {
  if (error instanceof TransientFailure || error instanceof TooLarge) {
    return new SourceFailure(error.message, { cause: error.cause });
  }
  if (error instanceof BrokenCircuitError) {
    return new SourceFailure(`${place} is left alone for now: it failed several times in a row`);
  }
  return error;
}
