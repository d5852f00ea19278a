import type { IncomingMessage, ServerResponse } from 'node:http';
import { isFetchError } from '../platform/fetchErrors';
import type { Logger } from '../platform/logger';
import { Problem } from '../problems';
import { OAuthError } from '../uma/OAuthError';
import { correlationIdOf } from './correlationId';
import { usualMethod } from './usualMethod';

/** Route in the log for requests that the Solid server handles, on pods, accounts and other paths. */
export const serverRoute = 'left to the Solid server';

/** Route in the log for unknown paths of this service. */
export const unknownRoute = 'unknown path';

/** A request with its response. */
export interface LoggedRequest {
  correlationId: string;
  method?: string;
  /** The path as mounted, such as `/v1/contracts/{contractId}`; never the actual values. */
  route: string;
  status: number;
  /** Start, from `performance.now()`. */
  startedAt: number;
  /** Absent for a success. */
  refusal?: LoggedRefusal;
}

/** Log data of an unsuccessful response. */
export interface LoggedRefusal {
  /** Name of the problem type, or the error code of OAuth. */
  problem?: string;
  /** The claim or check that failed. Never quotes the request. */
  reason?: string;
}

/** Reasons why tokens of requests on pods were refused; the Solid server continues without them. */
const ofRequests = new WeakMap<object, LoggedRefusal>();

/** Records why the token of a request is refused, for its line in the log. */
export function noteRefusal(request: Pick<IncomingMessage, 'headers'>, error: unknown): void {
  ofRequests.set(request, describeRefusal(error));
}

/** Describes an error for the log; unexpected errors have no description. */
export function describeRefusal(error: unknown): LoggedRefusal {
  if (error instanceof OAuthError) {
    return { problem: error.code, reason: error.message };
  }
  if (!(error instanceof Problem)) {
    return {};
  }
  const { cause, reason, type } = error;
  // Messages of a failed fetch contain no URL.
  return { problem: type || undefined, reason: isFetchError(cause) ? `${reason}: ${cause.message}` : reason };
}

/** Logs the line of a request, as text and as fields. */
export function logRequest(logger: Pick<Logger, 'info'>, request: LoggedRequest): void {
  const { correlationId, refusal: { problem, reason } = {}, route, startedAt, status } = request;
  const method = usualMethod(request.method);
  const durationMs = Math.round((performance.now() - startedAt) * 10) / 10;
  const why = [ problem, reason ].filter((text): boolean => text !== undefined).join(', ');
  logger.info(
    `${correlationId} ${method} ${route} ${status} in ${durationMs} ms${why === '' ? '' : `: ${why}`}`,
    { correlationId, method, route, status, durationMs, problem, reason },
  );
}

/** Logs the line of a request when its response, which has a correlation id, has ended. */
export function logWhenClosed(
  logger: Pick<Logger, 'info'>,
  request: IncomingMessage,
  response: ServerResponse,
  route: string,
): void {
  const startedAt = performance.now();
  response.once('close', (): void => logRequest(logger, {
    correlationId: String(correlationIdOf(response)),
    method: request.method,
    route,
    status: response.statusCode,
    startedAt,
    refusal: response.writableFinished ? ofRequests.get(request) : { reason: 'ended early' },
  }));
}
