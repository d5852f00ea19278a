import {
  MethodNotAllowedHttpError,
  NotFoundHttpError,
  NotImplementedHttpError,
  ResponseDescription,
} from '@solid/community-server';
import type { OperationHttpHandlerInput } from '@solid/community-server';
import { PassthroughHandler } from '../PassthroughHandler';

/** Methods that the `Allow` header must not name. */
const writing = [ 'PATCH', 'POST', 'PUT', 'DELETE' ];

/**
 * Descriptions of storages, which everybody may read. A container that is no storage has none, as if it did not exist:
 * the server's own handler tells everybody which private containers exist. HEAD is supported like GET,
 * and `Allow` names no other methods.
 */
export class DiscreetStorageDescriptions extends PassthroughHandler {
  public override async canHandle(input: OperationHttpHandlerInput): Promise<void> {
    try {
      await this.source.canHandle(asGet(input));
    } catch (error: unknown) {
      if (MethodNotAllowedHttpError.isInstance(error)) {
        throw new MethodNotAllowedHttpError(writing, 'The description of a storage can only be read.');
      }
      throw NotFoundHttpError.isInstance(error) || NotImplementedHttpError.isInstance(error) ?
          new NotFoundHttpError() :
        error;
    }
  }

  public async handle(input: OperationHttpHandlerInput): Promise<ResponseDescription> {
    const description = await this.source.handle(asGet(input));
    if (input.operation.method !== 'HEAD') {
      return description;
    }
    description.data?.destroy();
    return new ResponseDescription(description.statusCode, description.metadata);
  }
}

function asGet(input: OperationHttpHandlerInput): OperationHttpHandlerInput {
  return input.operation.method === 'HEAD' ?
      { ...input, operation: { ...input.operation, method: 'GET' }} :
    input;
}
