import { HttpError, OperationHttpHandler } from '@solid/community-server';
import type { OperationHttpHandlerInput, ResponseDescription } from '@solid/community-server';
import { isOutage, outageSeconds } from '../../http/outage';
import type { DataSharing } from '../DataSharing';

/**
 * Answers 503 to pod requests that fail for want of the database or the locks.
 */
export class OutageHandler extends OperationHttpHandler {
  private readonly dataSharing: DataSharing;
  private readonly source: OperationHttpHandler;

  /**
   * @param dataSharing - The service whose health is asked about.
   * @param source - Decides about the request, and answers it.
   */
  public constructor(dataSharing: DataSharing, source: OperationHttpHandler) {
    super();
    this.dataSharing = dataSharing;
    this.source = source;
  }

  public async canHandle(input: OperationHttpHandlerInput): Promise<void> {
    return this.source.canHandle(input);
  }

  public async handle(input: OperationHttpHandlerInput): Promise<ResponseDescription> {
    try {
      return await this.source.handle(input);
    } catch (cause: unknown) {
      if (isOutage(cause) || (hidesOutages(cause) && !await this.dataSharing.health.isWell())) {
        input.response.setHeader('Retry-After', String(outageSeconds));
        throw new HttpError(503, 'ServiceUnavailableHttpError', 'The server cannot answer now.', { cause });
      }
      throw cause;
    }
  }
}

/** Whether an error is what the server makes of one that it does not show. */
function hidesOutages(error: unknown): boolean {
  return !HttpError.isInstance(error) || error.statusCode >= 500;
}
