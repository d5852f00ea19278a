import { OperationHttpHandler } from '@solid/community-server';
import type { OperationHttpHandlerInput } from '@solid/community-server';

/** Base of handlers that wrap another one and can handle the same input, like `PassthroughStore` for stores. */
export abstract class PassthroughHandler extends OperationHttpHandler {
  protected readonly source: OperationHttpHandler;

  /**
   * @param source - Handles the request.
   */
  public constructor(source: OperationHttpHandler) {
    super();
    this.source = source;
  }

  public override async canHandle(input: OperationHttpHandlerInput): Promise<void> {
    return this.source.canHandle(input);
  }
}
