import type { Span } from '@opentelemetry/api';
import { SpanKind, SpanStatusCode, trace } from '@opentelemetry/api';
import { answeredRequests } from '../platform/diagnostics';
import { Problem, TokenInvalid, TokenNotAccepted } from '../problems';
import type { Exchange } from './Exchange';
import { usualMethod } from './usualMethod';

/** Does nothing unless the operator registers an SDK. */
const tracer = trace.getTracer('css-data-sharing');

/**
 * Publishes that a request was handled, for metrics.
 *
 * @param operation - Name of the operation; never contains values from the path.
 * @param status - Status of the response.
 * @param startedAt - Start, from `performance.now()`.
 * @param error - Error behind a problem, if any.
 */
export function reportAnswer(operation: string, status: number, startedAt: number, error?: unknown): void {
  if (answeredRequests.isHeard) {
    const seconds = (performance.now() - startedAt) / 1000;
    const problem = error instanceof Problem ? { problem: error.type || undefined } : {};
    const reason = error instanceof TokenInvalid || error instanceof TokenNotAccepted ? { reason: error.detail } : {};
    answeredRequests.publish({ operation, status, seconds, ...problem, ...reason });
  }
}

/**
 * Runs work in a span of its own.
 *
 * @param exchange - Read for the span once the work is done.
 * @param work - Returns the name of the operation.
 *
 * @see [Semantic conventions for HTTP spans](https://opentelemetry.io/docs/specs/semconv/http/http-spans/)
 */
export async function traced(exchange: Exchange, work: () => Promise<string>): Promise<void> {
  await tracer.startActiveSpan('request', { kind: SpanKind.SERVER }, async(span): Promise<void> => {
    endSpan(span, await work(), exchange);
  });
}

function endSpan(span: Span, operation: string, { request, response, correlationId, mounted }: Exchange): void {
  if (span.isRecording()) {
    span.updateName(operation);
    span.setAttributes({
      'http.request.method': usualMethod(request.method),
      'http.route': mounted?.path,
      'http.response.status_code': response.statusCode,
      'css_data_sharing.correlation_id': correlationId,
    });
    if (response.statusCode >= 500) {
      span.setStatus({ code: SpanStatusCode.ERROR });
    }
  }
  span.end();
}
