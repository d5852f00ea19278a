import { BadRequestHttpError, PreferenceParser } from '@solid/community-server';
import type { HttpRequest, RepresentationPreferences } from '@solid/community-server';

/**
 * Parses the `Range` header of a GET with one range of bytes; the length of a suffix becomes a start below 1. Several
 * ranges, other units, malformed ranges and those that depend on a version (`If-Range`) are ignored, as HTTP allows:
 * the response is then the whole representation.
 *
 * Refuses a PUT of a part, which would replace the whole resource.
 *
 * @see [RFC 9110, section 14.2](https://www.rfc-editor.org/rfc/rfc9110#section-14.2),
 * [section 14.5](https://www.rfc-editor.org/rfc/rfc9110#section-14.5)
 */
export class ByteRangeParser extends PreferenceParser {
  /** @throws BadRequestHttpError */
  public async handle(
    { request: { headers, method }}: { request: HttpRequest },
  ): Promise<RepresentationPreferences> {
    if (method === 'PUT' && headers['content-range'] !== undefined) {
      throw new BadRequestHttpError('A part cannot be put: send the whole representation, without Content-Range.');
    }
    const [ , first, last ] = /^bytes=(\d*)-(\d*)$/iu.exec(headers.range?.replaceAll(/\s/gu, '') ?? '') ?? [];
    if (method !== 'GET' || headers['if-range'] !== undefined || !(first || last)) {
      return {};
    }
    if (!first) {
      return { range: { unit: 'bytes', parts: [{ start: -Number(last) }]}};
    }
    const start = Number(first);
    if (!last) {
      return { range: { unit: 'bytes', parts: [{ start }]}};
    }
    const end = Number(last);
    return end < start ? {} : { range: { unit: 'bytes', parts: [{ start, end }]}};
  }
}
