import { WebSocketHandler } from '@solid/community-server';
import type { WebSocketHandlerInput } from '@solid/community-server';
import { cssLogger } from '../process/CssLogger';

/**
 * Handles the errors of every WebSocket from its first moment. The server handles those of subscriptions only: a
 * malformed frame on any other path would end the process.
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
