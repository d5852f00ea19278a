import { BasicRepresentation } from '@solid/community-server';
import type { Patch, ResourceIdentifier } from '@solid/community-server';
import type { Quad } from 'n3';

/** A change that replaces all statements of a description, except those that only the server makes. */
export class Replacement extends BasicRepresentation implements Patch {
  /** The new statements. */
  public readonly statements: readonly Quad[];

  /**
   * @param identifier - Description to replace.
   * @param statements - The new statements.
   */
  public constructor(identifier: ResourceIdentifier, statements: readonly Quad[]) {
    super([], identifier, 'internal/replacement');
    this.statements = statements;
  }
}
