import { hash } from 'node:crypto';
import { DC, POSIX, SOLID_META, toLiteral, XSD } from '@solid/community-server';
import type { RepresentationMetadata } from '@solid/community-server';
import { DataFactory } from 'n3';
import type { ListingState } from './ListingStorage';

/** Predicate in the metadata of a container for its response only; it is not stored. */
const term = DataFactory.namedNode('urn:css-data-sharing:listing');

/** Modulus of sums, below which numbers are exact. */
const most = 2 ** 52;

/** State of a listing, accumulated from its members in any order. */
export class ListingSum implements ListingState {
  private sum = 0;
  private latest = 0;

  /**
   * @param name - Name of a member, or of a statement about it.
   * @param content - Its state as the listing shows it.
   */
  public add(name: string, content: string): void {
    const digest = hash('sha256', `${name} ${content}`, 'buffer');
    this.sum = (this.sum + digest.readUIntBE(0, 6)) % most;
  }

  /** @param modified - Time of a member's last change, in ms since 1970. */
  public see(modified: number): void {
    this.latest = Math.max(this.latest, modified);
  }

  /** Returns a copy to add to. */
  public copy(): ListingSum {
    return Object.assign(new ListingSum(), this);
  }

  public get version(): string {
    return this.sum.toString(36);
  }

  public get modified(): Date | undefined {
    return this.latest === 0 ? undefined : new Date(this.latest);
  }
}

/** Returns the digest of a listing; undefined when none was read. */
export function listingOf(metadata: RepresentationMetadata): string | undefined {
  return metadata.get(term)?.value;
}

/**
 * Computes the state of a listing, including the description of the container.
 *
 * @param listed - Metadata including those of the members, as the server makes them for the listing.
 */
export function sumOf(listed: RepresentationMetadata): ListingState {
  const sum = new ListingSum();
  for (const predicate of [ DC.terms.modified, POSIX.terms.size ]) {
    for (const { subject, object } of listed.quads(null, predicate)) {
      sum.add(subject.value, object.value);
      if (predicate === DC.terms.modified) {
        sum.see(new Date(object.value).getTime());
      }
    }
  }
  return sum;
}

/** Records the state of its listing in the metadata of a container, and the last change of it or a member. */
export function noteListing(metadata: RepresentationMetadata, { modified, version }: ListingState): void {
  const own = timeOf(metadata.get(DC.terms.modified)?.value);
  metadata.set(term, `${own.toString(36)}.${version}`, SOLID_META.terms.ResponseMetadata);
  if (modified) {
    const latest = new Date(Math.max(own, modified.getTime())).toISOString();
    metadata.set(DC.terms.modified, toLiteral(latest, XSD.terms.dateTime));
  }
}

function timeOf(dateTime = ''): number {
  return new Date(dateTime).getTime() || 0;
}
