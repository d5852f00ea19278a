import { Writer } from 'n3';
import { DC, SOLID_META } from '@solid/community-server';
import type { RepresentationMetadata } from '@solid/community-server';

/** Statements of descriptions, as read. */
const statements = new WeakMap<RepresentationMetadata, string>();

/** Remembers the statements of a container's description, as read. */
export function noteRead(metadata: RepresentationMetadata): void {
  statements.set(metadata, statementsOf(metadata));
}

/**
 * Checks whether a description is unchanged since it was read, except for its time. The server rewrites descriptions of
 * containers with each new member, without a lock, which would undo changes made since.
 */
export function isAsRead(metadata: RepresentationMetadata): boolean {
  return statements.get(metadata) === statementsOf(metadata);
}

/** Returns all that is stored but the time, in a stable order. */
function statementsOf(metadata: RepresentationMetadata): string {
  const stored = metadata.quads().filter(({ graph, predicate }): boolean =>
    !graph.equals(SOLID_META.terms.ResponseMetadata) && !predicate.equals(DC.terms.modified));
  return new Writer({ format: 'N-Quads' }).quadsToString(stored).split('\n').sort().join('\n');
}
