import { isContainerIdentifier, NotFoundHttpError, PassthroughStore } from '@solid/community-server';
import type {
  AuxiliaryStrategy,
  Conditions,
  Representation,
  RepresentationPreferences,
  ResourceIdentifier,
  ResourceStore,
} from '@solid/community-server';

/** A storage that may have read the data of a request ahead. */
export interface AheadReader {
  /** Checks whether a document was read for the current request, with all of its bytes, or is known to be absent. */
  hasRead: (identifier: ResourceIdentifier) => Promise<boolean>;
}

/**
 * Checks the existence of a resource without a lock, for storages in which each write is one transaction: this frequent
 * check then costs one look-up. A document that has been read whole needs no lock either. All other operations take the
 * lock of the resource.
 */
export class UnlockedLooksStore extends PassthroughStore {
  private readonly backend: ResourceStore;
  private readonly unlocked: ResourceStore;
  private readonly auxiliaryStrategy: AuxiliaryStrategy;
  private readonly storage: AheadReader;

  /**
   * @param source - The store behind it, with locks.
   * @param unlocked - The store behind the locks.
   * @param backend - The store behind all others.
   * @param auxiliaryStrategy - Recognises access control documents.
   * @param storage - Where resources are stored.
   */
  public constructor(
    source: ResourceStore,
    unlocked: ResourceStore,
    backend: ResourceStore,
    auxiliaryStrategy: AuxiliaryStrategy,
    storage: AheadReader,
  ) {
    super(source);
    this.unlocked = unlocked;
    this.backend = backend;
    this.auxiliaryStrategy = auxiliaryStrategy;
    this.storage = storage;
  }

  public override async hasResource(identifier: ResourceIdentifier): Promise<boolean> {
    return this.backend.hasResource(identifier);
  }

  public override async getRepresentation(
    identifier: ResourceIdentifier,
    preferences: RepresentationPreferences,
    conditions?: Conditions,
  ): Promise<Representation> {
    // Most resources have no rules of their own, and the rules of each ancestor are looked up.
    if (this.hasRules(identifier) && !await this.backend.hasResource(identifier)) {
      throw new NotFoundHttpError();
    }
    return !isContainerIdentifier(identifier) && await this.storage.hasRead(identifier) ?
        this.unlocked.getRepresentation(identifier, preferences, conditions) :
        super.getRepresentation(identifier, preferences, conditions);
  }

  private hasRules(identifier: ResourceIdentifier): boolean {
    return this.auxiliaryStrategy.isAuxiliaryIdentifier(identifier) &&
      this.auxiliaryStrategy.usesOwnAuthorization(identifier);
  }
}
