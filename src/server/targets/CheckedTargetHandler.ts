import { HttpHandler } from '@solid/community-server';
import type { HttpHandlerInput } from '@solid/community-server';
import { findRefusal } from './findRefusal';
import type { RequestTargets } from './RequestTargets';

/** Brings the target of each request into one form before anything decides by it, and refuses those that have none. */
export class CheckedTargetHandler extends HttpHandler {
  private readonly source: HttpHandler;
  private readonly cors: HttpHandler;
  private readonly targets: RequestTargets;

  /**
   * @param source - Handles requests.
   * @param cors - The server's own handler of CORS, for refusals.
   * @param targets - Gives request targets one form.
   */
  public constructor(source: HttpHandler, cors: HttpHandler, targets: RequestTargets) {
    super();
    this.source = source;
    this.cors = cors;
    this.targets = targets;
  }

  /** @throws HttpError of a request that is refused. */
  public async handle(input: HttpHandlerInput): Promise<void> {
    const { request } = input;
    const refusal = findRefusal(request, this.targets, this.targets.read(request));
    if (refusal) {
      await this.cors.handle(input);
      throw refusal;
    }
    await this.source.handleSafe(input);
  }
}
