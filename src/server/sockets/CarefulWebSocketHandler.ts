import { WebSocketHandler } from '@solid/community-server';
import type { WebSocketHandlerInput } from '@solid/community-server';
import { cssLogger } from '../process/CssLogger';

/**
 * Hears the errors of every WebSocket from its first moment. The server listens to those of subscriptions only: one
 * malformed frame from anybody on any other path would bring the process down.
 */
export class CarefulWebSocketHandler extends WebSocketHandler {
  private readonly logger = cssLogger('CarefulWebSocketHandler');
  private readonly source: WebSocketHandler;

  /**
   * @param source - The server's own handler.
   */
  public constructor(source: WebSocketHandler) {
    super();
    this.source = source;
  }

  public override async canHandle(input: WebSocketHandlerInput): Promise<void> {
    input.webSocket.on('error', ({ message }: Error): void => {
      this.logger.debug(`A WebSocket failed: ${message}`);
    });
    await this.source.canHandle(input);
  }

  public async handle(input: WebSocketHandlerInput): Promise<void> {
    await this.source.handle(input);
  }
}
