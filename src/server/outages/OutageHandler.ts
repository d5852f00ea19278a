import type { OperationHttpHandlerInput, ResponseDescription } from '@solid/community-server';
import { PassthroughHandler } from '../PassthroughHandler';
import { asOutage } from './unavailable';

/**
 * Returns 503 to pod requests that fail because the database, the disk or the locks are unavailable.
 */
export class OutageHandler extends PassthroughHandler {
  public async handle(input: OperationHttpHandlerInput): Promise<ResponseDescription> {
    try {
      return await this.source.handle(input);
    } catch (cause: unknown) {
      throw asOutage(cause);
    }
  }
}
