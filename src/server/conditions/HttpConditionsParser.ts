import { BasicConditionsParser } from '@solid/community-server';
import type { ETagHandler, HttpRequest } from '@solid/community-server';
import { HttpConditions } from './HttpConditions';

/** Reads the conditions of a request as {@link HttpConditions}. */
export class HttpConditionsParser extends BasicConditionsParser {
  private readonly tags: ETagHandler;

  /** @param eTagHandler - Compares entity tags. */

  public constructor(eTagHandler: ETagHandler) {
    super(eTagHandler);
    this.tags = eTagHandler;
  }

  public override async handle(request: HttpRequest): ReturnType<BasicConditionsParser['handle']> {
    const conditions = await super.handle(request);
    return conditions && new HttpConditions(this.tags, conditions);
  }
}
