import { HttpError } from '@solid/community-server';
import type { OperationHttpHandler, OperationHttpHandlerInput, ResponseDescription } from '@solid/community-server';
import { DataFactory } from 'n3';
import type { DataSharing } from '../DataSharing';
import { PassthroughHandler } from '../../server/PassthroughHandler';
import { resourceUriOf } from './resourceUriOf';
import { challengeTerm } from './UmaChallengeWriter';

const refusals = new Set([ 401, 403 ]);

/**
 * Gives every refused request on a pod resource a permission ticket, which {@link UmaChallengeWriter} writes.
 */
export class UmaChallengeHandler extends PassthroughHandler {
  private readonly dataSharing: DataSharing;

  /**
   * @param dataSharing - The service that makes the tickets.
   * @param source - Handles the request.
   */
  public constructor(dataSharing: DataSharing, source: OperationHttpHandler) {
    super(source);
    this.dataSharing = dataSharing;
  }

  public async handle(input: OperationHttpHandlerInput): Promise<ResponseDescription> {
    try {
      return await this.source.handle(input);
    } catch (error: unknown) {
      if (HttpError.isInstance(error) && refusals.has(error.statusCode)) {
        const { baseUrl, uma } = await this.dataSharing.get();
        const resource = resourceUriOf(input.operation.target, baseUrl);
        if (resource) {
          error.metadata.set(challengeTerm, DataFactory.literal(uma.challenge(resource)));
        }
      }
      throw error;
    }
  }
}
