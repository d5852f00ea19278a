import { PreferenceParser } from '@solid/community-server';
import type { HttpRequest, RepresentationPreferences } from '@solid/community-server';
import { isInternalType } from './internalTypes';

/**
 * Parses the preferences of a request, with media types in lower case, their canonical spelling, and without internal
 * ones, which cannot be sent. A request without other media types accepts any
 * ([RFC 9110, section 12.5.1](https://www.rfc-editor.org/rfc/rfc9110#section-12.5.1)), so that representations with an
 * internal type are converted for it, too.
 */
export class PublicPreferenceParser extends PreferenceParser {
  private readonly source: PreferenceParser;

  /** @param source - Parses the headers. */
  public constructor(source: PreferenceParser) {
    super();
    this.source = source;
  }

  public async canHandle(input: { request: HttpRequest }): Promise<void> {
    return this.source.canHandle(input);
  }

  public async handle(input: { request: HttpRequest }): Promise<RepresentationPreferences> {
    const preferences = await this.source.handle(input);
    const ranges = Object.entries(preferences.type ?? {})
      .map(([ range, weight ]): [string, number] => [ range.toLowerCase(), weight ])
      .filter(([ range ]): boolean => !isInternalType(range));
    return { ...preferences, type: Object.fromEntries(ranges.length === 0 ? [[ '*/*', 1 ]] : ranges) };
  }
}
