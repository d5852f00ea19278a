import { DC } from '@solid/community-server';
import type { Conditions, ETagHandler, RepresentationMetadata } from '@solid/community-server';

const any = '*';

/** Conditions in the headers of a request, parsed. Entity tags are as sent, including `*`. */
export type ConditionValues =
  Pick<Conditions, 'matchesETag' | 'modifiedSince' | 'notMatchesETag' | 'unmodifiedSince'>;

/**
 * Conditions of a request.
 *
 * `If-Match` compares strongly and never holds for a missing resource. `If-None-Match` compares weakly, so that tags
 * weakened by a proxy still match. Writes compare the state alone, reads the media type as well.
 *
 * @see [RFC 9110, section 13](https://www.rfc-editor.org/rfc/rfc9110#section-13)
 */
export class HttpConditions implements Conditions {
  public readonly matchesETag?: string[];
  public readonly notMatchesETag?: string[];
  public readonly modifiedSince?: Date;
  public readonly unmodifiedSince?: Date;

  public constructor(
    private readonly eTagHandler: ETagHandler,
    { matchesETag, notMatchesETag, modifiedSince, unmodifiedSince }: ConditionValues,
  ) {
    this.matchesETag = matchesETag;
    this.notMatchesETag = notMatchesETag;
    this.modifiedSince = modifiedSince;
    this.unmodifiedSince = unmodifiedSince;
  }

  public matchesMetadata(metadata?: RepresentationMetadata, strict = false): boolean {
    return this.isCurrent(metadata, strict) && this.isNews(metadata, strict);
  }

  /** Checks `If-Match` and `If-Unmodified-Since`: false when the caller knows another version than the current one. */
  public isCurrent(metadata?: RepresentationMetadata, strict = false): boolean {
    if (this.matchesETag) {
      return metadata !== undefined && this.matchesETag.some((tag): boolean =>
        tag === any || this.eTagHandler.matchesETag(metadata, tag, strict));
    }
    const modified = modifiedSeconds(metadata);
    return this.unmodifiedSince === undefined || modified === undefined || modified <= secondsOf(this.unmodifiedSince);
  }

  /** Checks `If-None-Match` and `If-Modified-Since`: false when the caller has the current version. */
  private isNews(metadata: RepresentationMetadata | undefined, strict: boolean): boolean {
    if (this.notMatchesETag) {
      return metadata === undefined || !this.notMatchesETag.some((tag): boolean =>
        tag === any || this.eTagHandler.matchesETag(metadata, tag.replace(/^W\//u, ''), strict));
    }
    const modified = modifiedSeconds(metadata);
    return this.modifiedSince === undefined || modified === undefined || modified > secondsOf(this.modifiedSince);
  }
}

/** Returns the time in seconds, as headers do. */
function modifiedSeconds(metadata?: RepresentationMetadata): number | undefined {
  const modified = metadata?.get(DC.terms.modified)?.value;
  return modified === undefined ? undefined : secondsOf(new Date(modified));
}

function secondsOf(time: Date): number {
  return Math.floor(time.getTime() / 1000);
}
