import { randomUUID } from 'node:crypto';
import {
  guardedStreamFrom,
  RepresentationMetadata,
  ResponseDescription,
} from '@solid/community-server';
import type { CredentialsExtractor, OperationHttpHandler, OperationHttpHandlerInput } from '@solid/community-server';
import { problemDocument } from '../../http/problemDocument';
import { TooManyRequests } from '../../problems';
import { ownIris } from '../../vocabulary';
import type { DataSharing, RunningService } from '../DataSharing';
import { rptOf } from '../access/rpt';
import { PassthroughHandler } from '../../server/PassthroughHandler';

/** Counts pod requests by caller, together with requests on the service's own paths, before any decision. */
export class CallerLimitHandler extends PassthroughHandler {
  private readonly dataSharing: DataSharing;
  private readonly credentialsExtractor: CredentialsExtractor;

  /**
   * @param dataSharing - The service that counts.
   * @param credentialsExtractor - Reads the credentials of the caller, and remembers them for the request.
   * @param source - Handles the request.
   */
  public constructor(
    dataSharing: DataSharing,
    credentialsExtractor: CredentialsExtractor,
    source: OperationHttpHandler,
  ) {
    super(source);
    this.dataSharing = dataSharing;
    this.credentialsExtractor = credentialsExtractor;
  }

  public async handle(input: OperationHttpHandlerInput): Promise<ResponseDescription> {
    const credentials = await this.credentialsExtractor.handleSafe(input.request);
    const caller = rptOf(credentials)?.webId ?? credentials.agent?.webId;
    if (caller !== undefined) {
      const service = await this.dataSharing.get();
      try {
        service.limits.checkCaller(caller, input.response);
      } catch (error: unknown) {
        if (error instanceof TooManyRequests) {
          return refusal(error, service, input);
        }
        throw error;
      }
    }
    return this.source.handle(input);
  }
}

/** Returns a problem document: the server's own errors have other forms. */
function refusal(
  problem: TooManyRequests,
  { baseUrl }: RunningService,
  { operation, response }: OperationHttpHandlerInput,
): ResponseDescription {
  response.setHeaders(new Map(Object.entries(problem.headers)));
  response.setHeader('Cache-Control', 'no-store');
  const document = problemDocument(problem, ownIris(baseUrl).problems, randomUUID(), new Date());
  return new ResponseDescription(
    problem.status,
    new RepresentationMetadata('application/problem+json'),
    operation.method === 'HEAD' ? undefined : guardedStreamFrom(JSON.stringify(document)),
  );
}
