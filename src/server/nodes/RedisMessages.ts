import { randomUUID } from 'node:crypto';
import { Redis } from 'ioredis';

const topic = 'css-data-sharing:messages';

/** Texts from every process that is connected to the same Redis database to every other one. */
export class RedisMessages {
  private readonly id = randomUUID();
  private readonly publisher: Redis;
  private readonly subscriber: Redis;

  /**
   * @param url - `redis://` or `rediss://` URL.
   * @param scope - Keeps those apart that have a Redis in common and nothing else.
   */
  public constructor(url: string, private readonly scope: string) {
    // Messages that a silent Redis does not take are dropped, not queued.
    this.publisher = new Redis(url, {
      lazyConnect: true,
      connectTimeout: 2000,
      commandTimeout: 3000,
      maxRetriesPerRequest: 1,
    });
    // Listens again by itself when the connection is back.
    this.subscriber = new Redis(url, { lazyConnect: true, connectTimeout: 2000, maxRetriesPerRequest: null });
    for (const redis of [ this.publisher, this.subscriber ]) {
      redis.on('error', (): void => {
        // Messages are lost meanwhile.
      });
    }
  }

  /** Never rejects: a text that cannot be sent is lost. */
  public async publish(text: string): Promise<void> {
    await this.publisher.publish(`${topic}:${this.scope}`, `${this.id}${text}`).catch((): undefined => undefined);
  }

  /** Hears the texts of the others. Resolves when it does. */
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
