import { DataAccessorBasedStore, NotFoundHttpError } from '@solid/community-server';
import type {
  AuxiliaryStrategy,
  DataAccessor,
  IdentifierStrategy,
  ResourceIdentifier,
} from '@solid/community-server';

/**
 * A resource store whose storage removes a resource and its access rules at the same time. The server's own store
 * removes the rules first: for that long, the rules of the container would govern the resource, for readers who take no
 * lock, and for good if the server crashed or the resource could not be removed.
 */
export class JointRemovalStore extends DataAccessorBasedStore {
  private readonly storage: DataAccessor;

  /**
   * @param accessor - Storage that removes the auxiliary resources of a resource with it.
   * @param identifierStrategy - Names the container of a resource.
   * @param auxiliaryStrategy - Names the auxiliary resources of a resource.
   * @param metadataStrategy - Names the description of a resource.
   */
  public constructor(
    accessor: DataAccessor,
    identifierStrategy: IdentifierStrategy,
    auxiliaryStrategy: AuxiliaryStrategy,
    metadataStrategy: AuxiliaryStrategy,
  ) {
    super(accessor, identifierStrategy, auxiliaryStrategy, metadataStrategy);
    this.storage = accessor;
  }

  /** Returns the resources that are removed with this one; the storage removes them. */
  protected override async safelyDeleteAuxiliaryResources(
    identifiers: ResourceIdentifier[],
  ): Promise<ResourceIdentifier[]> {
    const found = await Promise.all(identifiers.map(async(identifier): Promise<boolean> => this.isThere(identifier)));
    return identifiers.filter((_, index): boolean => found[index]);
  }

  private async isThere(identifier: ResourceIdentifier): Promise<boolean> {
    try {
      await this.storage.getMetadata(identifier);
      return true;
    } catch (error: unknown) {
      if (NotFoundHttpError.isInstance(error)) {
        return false;
      }
      throw error;
    }
  }
}
