import { randomUUID } from 'node:crypto';
import { Redis } from 'ioredis';

const topic = 'css-data-sharing:messages';

/** Texts from each process to all others that are connected to the same Redis database. */
export class RedisMessages {
  private readonly id = randomUUID();
  private readonly publisher: Redis;
  private readonly subscriber: Redis;

  /**
   * @param url - `redis://` or `rediss://` URL.
   * @param scope - Separates services that share a Redis database and nothing else.
   */
  public constructor(url: string, private readonly scope: string) {
    // If Redis does not respond, messages are dropped, not queued.
    this.publisher = new Redis(url, {
      lazyConnect: true,
      connectTimeout: 2000,
      commandTimeout: 3000,
      maxRetriesPerRequest: 1,
    });
    // Resubscribes by itself after reconnecting.
    this.subscriber = new Redis(url, { lazyConnect: true, connectTimeout: 2000, maxRetriesPerRequest: null });
    for (const redis of [ this.publisher, this.subscriber ]) {
      redis.on('error', (): void => {
        // Messages are lost meanwhile.
      });
    }
  }

  /** Publishes a text. Never rejects: a text that cannot be sent is lost. */
  public async publish(text: string): Promise<void> {
    await this.publisher.publish(`${topic}:${this.scope}`, `${this.id}${text}`).catch((): undefined => undefined);
  }

  /** Listens to texts of other processes. Resolves once subscribed. */
  public async subscribe(listener: (text: string) => void): Promise<void> {
    this.subscriber.on('message', (...[ , message ]: [string, string]): void => {
      if (!message.startsWith(this.id)) {
        listener(message.slice(this.id.length));
      }
    });
    await this.subscriber.subscribe(`${topic}:${this.scope}`);
  }

  public close(): void {
    this.publisher.disconnect();
    this.subscriber.disconnect();
  }
}
