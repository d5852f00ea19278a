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
   * Checks, once a subscription is stored or a stream open, that its container is not closed. Before the container is
   * removed, those about its resources end once: one that was requested earlier must not stay.
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
