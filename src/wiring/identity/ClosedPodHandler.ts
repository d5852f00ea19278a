import type { OperationHttpHandler, OperationHttpHandlerInput, ResponseDescription } from '@solid/community-server';
import { PassthroughHandler } from '../../server/PassthroughHandler';
import type { CitizenPods } from './CitizenPods';

/** Refuses all requests on pods that are being or were removed, from any caller: 404. */
export class ClosedPodHandler extends PassthroughHandler {
  private readonly pods: CitizenPods;

  /**
   * @param pods - Knows which pods are closed.
   * @param source - Handles all other requests.
   */
  public constructor(pods: CitizenPods, source: OperationHttpHandler) {
    super(source);
    this.pods = pods;
  }

  public async handle(input: OperationHttpHandlerInput): Promise<ResponseDescription> {
    await this.pods.requireOpen(input.operation.target);
    return this.source.handle(input);
  }
}
