import type { Client } from 'undici';

/**
 * One connection for requests to one origin that follow each other closely, to the addresses that were checked for the
 * first of them. Whoever makes it closes it: until then, no change of these addresses is seen.
 */
export class KeptConnection {
  private kept?: { client: Client; origin: string };

  /** The client that is connected to an origin. */
  public find(origin: string): Client | undefined {
    return this.kept?.origin === origin ? this.kept.client : undefined;
  }

  /** Keeps a client instead of the one before. */
  public async keep(client: Client, origin: string): Promise<void> {
    await this.close();
    this.kept = { client, origin };
  }

  /** Ends the connection. A further request opens another one. */
  public async close(): Promise<void> {
    const { kept } = this;
    this.kept = undefined;
    await kept?.client.destroy();
  }
}
