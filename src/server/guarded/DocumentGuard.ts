import type { Quad } from '@rdfjs/types';
import type { ResourceIdentifier } from '@solid/community-server';

/** Statements that a document keeps, whoever writes it. */
export interface GuardedStatements {
  /** IRIs of the predicates whose statements are guarded, whatever they are about. */
  predicates: readonly string[];
  /** All statements with these predicates that belong into the document: they can always be put back. */
  expected: readonly Quad[];
}

/** Knows the documents that must stay, be readable by everyone, and keep their statements. */
export interface DocumentGuard {
  /**
   * The document that may be guarded and that a resource has to do with, by its name alone: itself, its description and
   * access rules, the containers above it and what would stand in its place.
   */
  documentNear: (resource: ResourceIdentifier) => ResourceIdentifier | undefined;
  /** The statements that a document keeps; undefined when it is like any other. */
  statementsOf: (document: ResourceIdentifier) => Promise<GuardedStatements | undefined>;
}
