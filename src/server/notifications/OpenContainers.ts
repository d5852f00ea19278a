import type { ResourceIdentifier } from '@solid/community-server';
import type { ContainerGate } from '../files/ContainerGate';

/** Containers to whose resources there can be subscriptions: all, unless something closes some. */
export class OpenContainers implements ContainerGate {
  private readonly gate?: ContainerGate;

  /**
   * @param gate - Knows which containers are closed.
   */
  public constructor(gate?: ContainerGate) {
    this.gate = gate;
  }

  public async requireOpen(resource: ResourceIdentifier): Promise<void> {
    await this.gate?.requireOpen(resource);
  }
}
