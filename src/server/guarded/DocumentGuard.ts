import type { Quad } from '@rdfjs/types';
import type { ResourceIdentifier } from '@solid/community-server';

/** Statements that a document must keep, whoever writes it. */
export interface GuardedStatements {
  /** IRIs of the predicates whose statements are guarded, whatever the subject. */
  predicates: readonly string[];
  /** All statements with these predicates that belong in the document: they can always be restored. */
  expected: readonly Quad[];
}

/** Knows the documents that must stay, be readable by everyone, and keep their statements. */
export interface DocumentGuard {
  /**
   * Finds the document that a resource may affect, by its name alone, if such a document may be guarded. A document is
   * affected by itself, its description and access rules, the containers above it, and anything that would take its
   * place.
   */
  documentNear: (resource: ResourceIdentifier) => ResourceIdentifier | undefined;
  /** Returns the statements that a document must keep; undefined for an unguarded document. */
  statementsOf: (document: ResourceIdentifier) => Promise<GuardedStatements | undefined>;
}
