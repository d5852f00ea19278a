import { DC } from '@solid/community-server';
import type { ETagHandler, RepresentationMetadata } from '@solid/community-server';
import { listingOf } from './listings';

/**
 * Makes entity tags from the time of a resource, the listing of a container, and the media type:
 * `"1732290000000.4f2a-text/turtle"`. Those of documents are the server's own.
 */
export class ListingETagHandler implements ETagHandler {
  public getETag(metadata: RepresentationMetadata): string | undefined {
    const version = versionOf(metadata);
    const { contentType } = metadata;
    return version && contentType ? `"${version}-${contentType}"` : undefined;
  }

  public matchesETag(metadata: RepresentationMetadata, eTag: string, strict: boolean): boolean {
    const [ , version, contentType ] = /^"([^-]*)-(.*)"$/u.exec(eTag) ?? [];
    return version !== undefined && version === versionOf(metadata) &&
      (!strict || contentType === metadata.contentType);
  }

  public sameResourceState(eTag1: string, eTag2: string): boolean {
    return eTag1.split('-')[0] === eTag2.split('-')[0];
  }
}

function versionOf(metadata: RepresentationMetadata): string | undefined {
  const modified = metadata.get(DC.terms.modified)?.value;
  if (modified === undefined) {
    return undefined;
  }
  const listing = listingOf(metadata);
  const time = new Date(modified).getTime();
  return listing === undefined ? `${time}` : `${time}.${listing}`;
}
