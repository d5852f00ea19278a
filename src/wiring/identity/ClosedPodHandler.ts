import { OperationHttpHandler } from '@solid/community-server';
import type { OperationHttpHandlerInput, ResponseDescription } from '@solid/community-server';
import type { CitizenPods } from './CitizenPods';

/** Turns away all requests on pods that are being removed, or were, whoever calls: 404. */
export class ClosedPodHandler extends OperationHttpHandler {
  private readonly pods: CitizenPods;
  private readonly source: OperationHttpHandler;

  /**
   * @param pods - Tells which pods are closed.
   * @param source - Decides about all other requests, and answers them.
   */
  public constructor(pods: CitizenPods, source: OperationHttpHandler) {
    super();
    this.pods = pods;
    this.source = source;
  }

  public async canHandle(input: OperationHttpHandlerInput): Promise<void> {
    return this.source.canHandle(input);
  }

  public async handle(input: OperationHttpHandlerInput): Promise<ResponseDescription> {
    await this.pods.requireOpen(input.operation.target);
    return this.source.handle(input);
  }
}
