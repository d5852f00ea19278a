import { redact } from '../identity/redact';
import type { Clock, NewId } from '../platform/clock';
import { describeCauses } from '../platform/errors';
import type { Logger } from '../platform/logger';
import { isOutage, outageSeconds } from '../platform/outage';
import { isTooLongToIndex } from '../platform/tooLong';
import { asksFor } from '../platform/accept';
import { BodyInvalid, Problem, Unavailable } from '../problems';
import { OAuthError } from '../uma/OAuthError';
import type { JsonAnswer } from './Answer';
import type { Exchange } from './Exchange';
import { oauthError } from './oauthErrors';
import { describeForLog, problemDocument } from './problemDocument';
import { ClientGone } from './readBody';
import { describeRefusal } from './requestLog';
import { sendText } from './send';

/** Dependencies of {@link Refusals}. */
export interface RefusalsOptions {
  /** Prefix of problem type URIs. */
  problemTypes: string;
  logger: Logger;
  newId: NewId;
  now: Clock;
}

/**
 * Responds to requests that failed: with an OAuth error where the operation takes a form, else with a problem document
 * in the media type of the operation. Faults of the server are logged, with their causes.
 */
export class Refusals {
  private readonly options: RefusalsOptions;

  public constructor(options: RefusalsOptions) {
    this.options = options;
  }

  /**
   * Responds with an error thrown on the way; when it is too late for a response, closes the connection.
   *
   * @param exchange - The request; receives the log data of its refusal.
   * @param thrown - Anything but a problem or an OAuth error becomes a bare 500.
   */
  public refuse(exchange: Exchange, thrown: unknown): void {
    const { request, response, correlationId } = exchange;
    const error = asProblem(thrown);
    if (response.headersSent || response.destroyed || error instanceof ClientGone) {
      exchange.refusal = { reason: 'ended early' };
      this.options.logger.debug(`${correlationId} ended early: ${describeForLog(error)}`);
      response.destroy();
      return;
    }
    exchange.refusal = describeRefusal(error);
    this.log(correlationId, error);
    sendText(request, response, exchange.mounted?.form ? oauthError(error) : this.problemAnswer(exchange, error));
  }

  private problemAnswer(exchange: Exchange, error: unknown): JsonAnswer {
    const { newId, now, problemTypes } = this.options;
    const document = problemDocument(error, problemTypes, newId(), now());
    return {
      status: document.status,
      headers: {
        'Content-Type': problemMediaType(exchange),
        'Cache-Control': 'no-store',
        Vary: 'Authorization, DPoP, X-Access-Grant, Accept, Origin',
        'X-Content-Type-Options': 'nosniff',
        ...error instanceof Problem && error.headers,
      },
      text: JSON.stringify(document),
    };
  }

  private log(correlationId: string, error: unknown): void {
    if (error instanceof Unavailable && isOutage(error.cause)) {
      // Without a stack: an outage meets every request, whatever it does.
      this.options.logger.error(`${correlationId} ${redact(describeCauses(error))}`);
    } else if (!(error instanceof Problem || error instanceof OAuthError) || error.status >= 500) {
      this.options.logger.error(`${correlationId} ${describeForLog(error)}`);
    } else if (error.cause !== undefined) {
      this.options.logger.debug(`${correlationId} ${describeForLog(error)}`);
    }
  }
}

/** An outage is a problem for the caller to know of, and so is a text that the database cannot index. */
function asProblem(error: unknown): unknown {
  if (isTooLongToIndex(error)) {
    return new BodyInvalid('A URI in the request is too long to be stored here.', { cause: error });
  }
  return !(error instanceof Problem) && isOutage(error) ?
      new Unavailable(undefined, { cause: error, headers: { 'Retry-After': String(outageSeconds) }}) :
    error;
}

function problemMediaType({ request, root, mounted }: Exchange): string {
  const usual = mounted?.operation.problemMediaType ?? 'application/json';
  const problemJson = 'application/problem+json';
  return root === '.access' || asksFor(request.headers.accept, problemJson, usual) ? problemJson : usual;
}
