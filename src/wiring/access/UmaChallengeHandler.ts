import { HttpError, OperationHttpHandler } from '@solid/community-server';
import type { OperationHttpHandlerInput, ResponseDescription } from '@solid/community-server';
import { DataFactory } from 'n3';
import type { DataSharing } from '../DataSharing';
import { challengeTerm } from './UmaChallengeWriter';

const refusals = new Set([ 401, 403 ]);

/**
 * Gives every refused request on a pod resource a permission ticket, which {@link UmaChallengeWriter} writes.
 */
export class UmaChallengeHandler extends OperationHttpHandler {
  private readonly dataSharing: DataSharing;
  private readonly source: OperationHttpHandler;

  /**
   * @param dataSharing - The service that makes the tickets.
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
    } catch (error: unknown) {
      if (HttpError.isInstance(error) && refusals.has(error.statusCode)) {
        const { uma } = await this.dataSharing.get();
        const challenge = uma.challenge(input.operation.target.path);
        if (challenge !== undefined) {
          error.metadata.set(challengeTerm, DataFactory.literal(challenge));
        }
      }
      throw error;
    }
  }
}
