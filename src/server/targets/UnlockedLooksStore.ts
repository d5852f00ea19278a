import { NotFoundHttpError, PassthroughStore } from '@solid/community-server';
import type {
  AuxiliaryStrategy,
  Conditions,
  Representation,
  RepresentationPreferences,
  ResourceIdentifier,
  ResourceStore,
} from '@solid/community-server';

/**
 * Checks the existence of a resource without a lock, where each write is one transaction: this frequent check then
 * costs one look-up. All other operations on a resource have its lock.
 */
export class UnlockedLooksStore extends PassthroughStore {
  private readonly backend: ResourceStore;
  private readonly auxiliaryStrategy: AuxiliaryStrategy;

  /**
   * @param source - The store behind it, with locks.
   * @param backend - The store behind all locks.
   * @param auxiliaryStrategy - Tells access control documents from others.
   */
  public constructor(source: ResourceStore, backend: ResourceStore, auxiliaryStrategy: AuxiliaryStrategy) {
    super(source);
    this.backend = backend;
    this.auxiliaryStrategy = auxiliaryStrategy;
  }

  public override async hasResource(identifier: ResourceIdentifier): Promise<boolean> {
    return this.backend.hasResource(identifier);
  }

  public override async getRepresentation(
    identifier: ResourceIdentifier,
    preferences: RepresentationPreferences,
    conditions?: Conditions,
  ): Promise<Representation> {
    // Most resources have no rules of their own, and each ancestor is asked for its own.
    if (this.hasRules(identifier) && !await this.backend.hasResource(identifier)) {
      throw new NotFoundHttpError();
    }
    return super.getRepresentation(identifier, preferences, conditions);
  }

  private hasRules(identifier: ResourceIdentifier): boolean {
    return this.auxiliaryStrategy.isAuxiliaryIdentifier(identifier) &&
      this.auxiliaryStrategy.usesOwnAuthorization(identifier);
  }
}
