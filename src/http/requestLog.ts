import type { IncomingMessage } from 'node:http';
import { isFetchError } from '../platform/fetchErrors';
import type { Logger } from '../platform/logger';
import { Problem } from '../problems';
import { OAuthError } from '../uma/OAuthError';
import { usualMethod } from './usualMethod';

/** Route in the log of requests on pods, accounts and whatever else the server beneath answers. */
export const serverRoute = 'left to the Solid server';

/** Route in the log of a path of ours at which there is nothing. */
export const unknownRoute = 'unknown path';

/** A request that was answered. */
export interface LoggedRequest {
  correlationId: string;
  method?: string;
  /** The path as it was mounted, such as `/v1/contracts/{contractId}`; never what stood in it. */
  route: string;
  status: number;
  /** Of `performance.now()`. */
  startedAt: number;
  /** Absent for a success. */
  refusal?: LoggedRefusal;
}

/** Facts about an answer that is no success, for the log. */
export interface LoggedRefusal {
  /** Name of the problem type, or the error code of OAuth. */
  problem?: string;
  /** The claim or check that failed. Never quotes what was sent. */
  reason?: string;
}

/** Reasons why tokens of requests on pods were refused: the server beneath goes on without them. */
const ofRequests = new WeakMap<object, LoggedRefusal>();

/** Notes why the token of a request is not taken, for the line that its answer has in the log. */
export function noteRefusal(request: Pick<IncomingMessage, 'headers'>, error: unknown): void {
  ofRequests.set(request, describeRefusal(error));
}

/** Finds the refusal that {@link noteRefusal} has noted, if any. */
export function refusalOf(request: Pick<IncomingMessage, 'headers'>): LoggedRefusal | undefined {
  return ofRequests.get(request);
}

/** Describes an error that was answered; nothing is known of those that nobody foresaw. */
export function describeRefusal(error: unknown): LoggedRefusal {
  if (error instanceof OAuthError) {
    return { problem: error.code, reason: error.message };
  }
  if (!(error instanceof Problem)) {
    return {};
  }
  const { cause, reason, type } = error;
  // Messages of a fetch name no URL.
  return { problem: type || undefined, reason: isFetchError(cause) ? `${reason}: ${cause.message}` : reason };
}

/** Writes the line that each request has, as text and as fields. */
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
