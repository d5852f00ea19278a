import type { OperationHttpHandlerInput, ResponseDescription } from '@solid/community-server';
import { isOutage } from '../../platform/outage';
import { PassthroughHandler } from '../PassthroughHandler';
import { unavailable } from './unavailable';

/**
 * Returns 503 to pod requests that fail because the database, the disk or the locks are unavailable.
 */
export class OutageHandler extends PassthroughHandler {
  public async handle(input: OperationHttpHandlerInput): Promise<ResponseDescription> {
    try {
      return await this.source.handle(input);
    } catch (cause: unknown) {
      if (isOutage(cause)) {
        throw unavailable(input.response, cause);
      }
      throw cause;
    }
  }
}
