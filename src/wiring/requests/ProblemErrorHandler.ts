import { randomUUID } from 'node:crypto';
import { ErrorHandler, guardedStreamFrom, NotImplementedHttpError, RepresentationMetadata, ResponseDescription } from
  '@solid/community-server';
import type { ErrorHandlerArgs } from '@solid/community-server';
import { problemDocument } from '../../http/problemDocument';
import { currentCorrelationId } from '../../server/connections/correlation';
import { ProblemHttpError } from '../identity/loginInput';

/** Returns problems thrown by handlers of the server as problem documents. */
export class ProblemErrorHandler extends ErrorHandler {
  private readonly types: string;

  /**
   * @param baseUrl - Base URL of the server.
   */
  public constructor(baseUrl: string) {
    super();
    this.types = new URL('/v1/problems/', baseUrl).href;
  }

  public async canHandle({ error }: ErrorHandlerArgs): Promise<void> {
    requireProblem(error);
  }

  public async handle({ error }: ErrorHandlerArgs): Promise<ResponseDescription> {
    requireProblem(error);
    const { problem } = error;
    const instance = currentCorrelationId() ?? randomUUID();
    const document = problemDocument(problem, this.types, instance, new Date());
    const metadata = new RepresentationMetadata('application/problem+json');
    return new ResponseDescription(problem.status, metadata, guardedStreamFrom(JSON.stringify(document)));
  }
}

function requireProblem(error: Error): asserts error is ProblemHttpError {
  if (!(error instanceof ProblemHttpError)) {
    throw new NotImplementedHttpError('Only problems have a document.');
  }
}
