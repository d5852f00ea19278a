import type { Client } from 'undici';

/**
 * One connection for consecutive requests to one origin, to the addresses checked for the first of them. Its creator
 * must close it: until then, changes of these addresses are not noticed.
 */
export class KeptConnection {
  private kept?: { client: Client; origin: string };

  /** Finds the client connected to an origin. */
  public find(origin: string): Client | undefined {
    return this.kept?.origin === origin ? this.kept.client : undefined;
  }

  /** Keeps a client in place of the previous one. */
  public async keep(client: Client, origin: string): Promise<void> {
    await this.close();
    this.kept = { client, origin };
  }

  /** Closes the connection. A further request opens another one. */
  public async close(): Promise<void> {
    const { kept } = this;
    this.kept = undefined;
    await kept?.client.destroy();
  }
}
