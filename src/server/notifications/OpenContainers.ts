import type { ContainerGate } from '../files/ContainerGate';

/** Containers to whose resources there can be subscriptions: all, unless something closes some. */
export class OpenContainers {
  private readonly gate?: ContainerGate;

  /**
   * @param gate - Knows which containers are closed.
   */
  public constructor(gate?: ContainerGate) {
    this.gate = gate;
  }

  /**
   * Checks that the container is not closed, after a subscription was stored or a stream opened. Subscriptions and
   * streams end once before their container is removed, which misses one that is just beginning.
   *
   * @param topic - URL of the resource.
   * @param undo - Ends the subscription or stream.
   *
   * @throws HttpError 404 when the container is closed.
   */
  public async requireOpen(topic: string, undo: () => unknown): Promise<void> {
    try {
      await this.gate?.requireOpen({ path: topic });
    } catch (error: unknown) {
      await undo();
      throw error;
    }
  }
}
