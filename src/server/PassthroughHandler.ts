import { OperationHttpHandler } from '@solid/community-server';
import type { OperationHttpHandlerInput } from '@solid/community-server';

/** Base of handlers that stand before another one: they can handle what that one can, as `PassthroughStore` does. */
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
