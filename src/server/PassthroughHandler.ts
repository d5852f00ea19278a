import { OperationHttpHandler } from '@solid/community-server';
import type { OperationHttpHandlerInput } from '@solid/community-server';

/** Base of handlers that wrap another one and can handle the same input, as `PassthroughStore` does for stores. */
export abstract class PassthroughHandler extends OperationHttpHandler {
  protected readonly source: OperationHttpHandler;

  /**
   * @param source - Decides about the request, and answers it.
   */
  public constructor(source: OperationHttpHandler) {
    super();
    this.source = source;
  }

  public override async canHandle(input: OperationHttpHandlerInput): Promise<void> {
    return this.source.canHandle(input);
  }
}
