import { HttpHandler } from '@solid/community-server';
import type { HttpHandlerInput } from '@solid/community-server';
import { findRefusal } from './findRefusal';
import type { RequestTargets } from './RequestTargets';

/** Normalises the target of each request before any decision depends on it, and refuses invalid targets. */
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

  /** @throws HttpError when the request is refused. */
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
