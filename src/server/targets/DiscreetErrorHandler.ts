import {
  ErrorHandler,
  getLoggerFor,
  HttpError,
  isError,
  isSystemError,
  MethodNotAllowedHttpError,
  RepresentationMetadata,
  SOLID_ERROR,
} from '@solid/community-server';
import type { ErrorHandlerArgs, ResponseDescription } from '@solid/community-server';
import { describeCauses } from '../../platform/errors';
import { isOutage } from '../../platform/outage';
import { outageError } from '../outages/unavailable';

/**
 * Messages of the operating system up to a quote, as Node writes them: `ENOENT: no such file or directory, open '/…'`.
 */
const systemMessage = /\b[A-Z]{4,}: [^']/u;

/** Statuses of server errors whose messages are written for callers. */
const toldStatuses = new Set([ 501, 503 ]);

/** Maximum depth of causes. */
const maxDepth = 5;

/**
 * Removes the messages of unexpected errors from responses, because they contain paths of the machine, statements and
 * the like. The log has them, and the causes of outages, which become 503. The error of an unsupported method names
 * that method.
 */
export class DiscreetErrorHandler extends ErrorHandler {
  private readonly logger = getLoggerFor(this);
  private readonly source: ErrorHandler;

  /**
   * @param source - Turns an error into a response.
   */
  public constructor(source: ErrorHandler) {
    super();
    this.source = source;
  }

  public async handle({ error: thrown, request }: ErrorHandlerArgs): Promise<ResponseDescription> {
    const error = thrown.statusCode === 500 && isOutage(thrown) ? outageError(thrown) : thrown;
    const isTold = isForCallers(error);
    if (!isTold || error.statusCode === 503) {
      // Without a cause, nothing failed: too many requests wait.
      this.logger[isTold && error.cause === undefined ? 'warn' : 'error'](
        `Answered with ${error.statusCode}: ${describeCauses(error)}`,
      );
    }
    if (isTold) {
      return this.source.handleSafe({ error: namingMethod(error, request.method), request });
    }
    const { errorCode, metadata, name, statusCode } = error;
    const told = new HttpError(statusCode, name, 'The server could not do this.', { errorCode, metadata });
    return this.source.handleSafe({ error: told, request });
  }
}

function isForCallers(error: HttpError): boolean {
  return (error.statusCode < 500 || toldStatuses.has(error.statusCode)) && !revealsSystem(error);
}

/**
 * Adds the method, or `Allow` would name it: the server has one error object for every unknown method, shared by all
 * requests, and an error that sums up those of several handlers has none.
 */
function namingMethod(error: HttpError, method = 'GET'): HttpError {
  return error.statusCode === 405 && !error.metadata.has(SOLID_ERROR.terms.disallowedMethod) ?
      new MethodNotAllowedHttpError([ method ], undefined, { metadata: new RepresentationMetadata(error.metadata) }) :
    error;
}

/** Checks whether an error is caused by one of the operating system, or repeats its message. */
function revealsSystem(error: unknown): boolean {
  return chainOf(error).some((at): boolean => isSystemError(at) || systemMessage.test(upToQuote(at.message)));
}

/** Returns an error and its causes. */
function chainOf(error: unknown): Error[] {
  const chain: Error[] = [];
  for (let at = error; chain.length < maxDepth && isError(at); at = at.cause) {
    chain.push(at);
  }
  return chain;
}

/** Returns a message up to its last quote. Searched by the same expression, a long message would take minutes. */
function upToQuote(message: string): string {
  return message.slice(0, Math.max(message.lastIndexOf('\''), 0));
}
