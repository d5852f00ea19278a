import type { Finalizable } from '@solid/community-server';
import { RedisMessages } from './RedisMessages';
import type { MessageRelay } from './MessageRelay';

/** Relays texts between all processes of all nodes, through Redis. */
export class RedisMessageRelay implements MessageRelay, Finalizable {
  private readonly messages: RedisMessages;

  /**
   * @param redis - `redis://` or `rediss://` URL.
   * @param baseUrl - Base URL of the server: the same on all nodes.
   */
  public constructor(redis: string, baseUrl: string) {
    this.messages = new RedisMessages(redis, baseUrl);
  }

  public publish(text: string): void {
    this.messages.publish(text).catch((): undefined => undefined);
  }

  public subscribe(listener: (text: string) => void): void {
    this.messages.subscribe(listener).catch((): undefined => undefined);
  }

  public async finalize(): Promise<void> {
    this.messages.close();
  }
}
