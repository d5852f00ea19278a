import { HttpError } from '@solid/community-server';
import type { OperationHttpHandlerInput, ResponseDescription } from '@solid/community-server';
import { isOutage, outageSeconds } from '../../platform/outage';
import { PassthroughHandler } from '../PassthroughHandler';

/**
 * Returns 503 to pod requests that fail because the database, the disk or the locks are unavailable.
 */
export class OutageHandler extends PassthroughHandler {
  public async handle(input: OperationHttpHandlerInput): Promise<ResponseDescription> {
    try {
      return await this.source.handle(input);
    } catch (cause: unknown) {
      if (isOutage(cause)) {
        input.response.setHeader('Retry-After', String(outageSeconds));
        throw new HttpError(503, 'ServiceUnavailableHttpError', 'The server cannot answer now.', { cause });
      }
      throw cause;
    }
  }
}
