import { ForbiddenHttpError, WebSocket2023Listener } from '@solid/community-server';
import type { NotificationChannelStorage, WebSocket2023Handler, WebSocketHandlerInput } from '@solid/community-server';
import type { HeldChannel } from './BoundedChannelStorage';
import type { ReadingRight } from './ReadingRight';

/** Admits only subscribers who may still read the resource: opening the URL of a subscription needs no log-in. */
export class CheckedWebSocketListener extends WebSocket2023Listener {
  private readonly channels: NotificationChannelStorage;
  private readonly right: ReadingRight;
  private readonly base: string;

  /**
   * @param storage - Subscriptions.
   * @param handler - Takes an admitted WebSocket.
   * @param baseUrl - Base URL of the server.
   * @param right - Checks whether subscribers may read.
   */
  public constructor(
    storage: NotificationChannelStorage,
    handler: WebSocket2023Handler,
    baseUrl: string,
    right: ReadingRight,
  ) {
    super(storage, handler, baseUrl);
    this.channels = storage;
    this.right = right;
    this.base = baseUrl;
  }

  public override async canHandle(input: WebSocketHandlerInput): Promise<void> {
    const { url = '/' } = input.upgradeRequest;
    const id = new URL(new URL(url, this.base).pathname, this.base).href;
    const channel: HeldChannel | undefined = await this.channels.get(id);
    if (channel && !await this.right.mayRead(channel.subscriber ?? {}, channel.topic)) {
      await this.channels.delete(id);
      throw new ForbiddenHttpError('The subscription has ended.');
    }
    await super.canHandle(input);
  }
}
