import type { OperationHttpHandler, OperationHttpHandlerInput, ResponseDescription } from '@solid/community-server';
import { PassthroughHandler } from '../PassthroughHandler';
import type { ContainerGate } from './ContainerGate';

/** Refuses all requests in containers that are being or were permanently removed, from any caller: 404. */
export class ContainerGateHandler extends PassthroughHandler {
  private readonly gate: ContainerGate;

  /**
   * @param gate - Knows which containers are closed.
   * @param source - Handles all other requests.
   */
  public constructor(gate: ContainerGate, source: OperationHttpHandler) {
    super(source);
    this.gate = gate;
  }

  public async handle(input: OperationHttpHandlerInput): Promise<ResponseDescription> {
    await this.gate.requireOpen(input.operation.target);
    return this.source.handle(input);
  }
}
