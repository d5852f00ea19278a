import { PreferenceParser } from '@solid/community-server';
import type { HttpRequest, RepresentationPreferences } from '@solid/community-server';

/**
 * Parses the `Range` header of a GET with one range of bytes; the length of a suffix becomes a start below 1. Several
 * ranges, other units, malformed ranges and those that depend on a version (`If-Range`) are ignored, as HTTP allows:
 * the response is then the whole representation.
 *
 * @see [RFC 9110, section 14.2](https://www.rfc-editor.org/rfc/rfc9110#section-14.2)
 */
export class ByteRangeParser extends PreferenceParser {
  public async handle(
    { request: { headers, method }}: { request: HttpRequest },
  ): Promise<RepresentationPreferences> {
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
