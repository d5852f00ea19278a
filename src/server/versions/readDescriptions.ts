import { Writer } from 'n3';
import { DC, SOLID_META } from '@solid/community-server';
import type { RepresentationMetadata } from '@solid/community-server';

/** Statements of descriptions, as they were read. */
const statements = new WeakMap<RepresentationMetadata, string>();

/** Remembers what the description of a container says, as it was read. */
export function noteRead(metadata: RepresentationMetadata): void {
  statements.set(metadata, statementsOf(metadata));
}

/**
 * True for a description that is unchanged since it was read, except for its time. The server writes those of
 * containers again with each new member, without a lock, and would undo changes made since.
 */
export function isAsRead(metadata: RepresentationMetadata): boolean {
  return statements.get(metadata) === statementsOf(metadata);
}

/** All that is stored but the time, in some order that is always the same. */
function statementsOf(metadata: RepresentationMetadata): string {
  const stored = metadata.quads().filter(({ graph, predicate }): boolean =>
    !graph.equals(SOLID_META.terms.ResponseMetadata) && !predicate.equals(DC.terms.modified));
  return new Writer({ format: 'N-Quads' }).quadsToString(stored).split('\n').sort().join('\n');
}
