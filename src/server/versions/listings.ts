import { createHash } from 'node:crypto';
import { DC, POSIX, SOLID_META, toLiteral, XSD } from '@solid/community-server';
import type { RepresentationMetadata } from '@solid/community-server';
import { DataFactory } from 'n3';

/** Metadata of a container on its way to who asked: no document says it. */
const term = DataFactory.namedNode('urn:css-data-sharing:listing');

/** Counted modulo this, numbers are exact. */
const most = 2 ** 52;

/** Digest of a listing; undefined where none was read. */
export function listingOf(metadata: RepresentationMetadata): string | undefined {
  return metadata.get(term)?.value;
}

/**
 * Notes in the metadata of a container what its listing says, and when that was last changed.
 *
 * The order of the members does not matter.
 *
 * @param metadata - To be noted in.
 * @param listed - Metadata with those of the members, as the server makes them for the listing.
 */
export function noteListing(metadata: RepresentationMetadata, listed: RepresentationMetadata): void {
  let sum = 0;
  let latest = '';
  for (const predicate of [ DC.terms.modified, POSIX.terms.size ]) {
    for (const { subject, object } of listed.quads(null, predicate)) {
      const digest = createHash('sha256').update(`${subject.value} ${object.value}`).digest();
      sum = (sum + digest.readUIntBE(0, 6)) % most;
      if (predicate === DC.terms.modified && object.value > latest) {
        latest = object.value;
      }
    }
  }
  metadata.set(term, sum.toString(36), SOLID_META.terms.ResponseMetadata);
  if (latest !== '') {
    metadata.set(DC.terms.modified, toLiteral(latest, XSD.terms.dateTime));
  }
}
