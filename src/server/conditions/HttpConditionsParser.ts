import { BasicConditionsParser } from '@solid/community-server';
import type { ETagHandler, HttpRequest } from '@solid/community-server';
import { parseHttpDate } from '../../platform/parseHttpDate';
import { HttpConditions } from './HttpConditions';

/**
 * Reads the conditions of a request as {@link HttpConditions}. Dates that HTTP does not have are ignored: the server
 * itself accepts anything that JavaScript reads as a date, in its own time zone.
 *
 * @see [RFC 9110, section 13.1.3](https://www.rfc-editor.org/rfc/rfc9110#section-13.1.3)
 */
export class HttpConditionsParser extends BasicConditionsParser {
  private readonly tags: ETagHandler;

  /** @param eTagHandler - Compares entity tags. */

  public constructor(eTagHandler: ETagHandler) {
    super(eTagHandler);
    this.tags = eTagHandler;
  }

  public override async handle(request: HttpRequest): ReturnType<BasicConditionsParser['handle']> {
    const conditions = await super.handle(request);
    if (!conditions) {
      return undefined;
    }
    const { headers } = request;
    const { matchesETag, modifiedSince, notMatchesETag, unmodifiedSince } = conditions;
    return new HttpConditions(this.tags, {
      matchesETag,
      notMatchesETag,
      modifiedSince: modifiedSince && parseHttpDate(headers['if-modified-since']),
      unmodifiedSince: unmodifiedSince && parseHttpDate(headers['if-unmodified-since']),
    });
  }
}
