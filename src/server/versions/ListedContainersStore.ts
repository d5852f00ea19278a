import { isContainerIdentifier, PassthroughStore } from '@solid/community-server';
import type {
  ChangeMap,
  Conditions,
  Patch,
  Representation,
  RepresentationMetadata,
  RepresentationPreferences,
  ResourceIdentifier,
  ResourceStore,
} from '@solid/community-server';
import { noteListing } from './listings';

/**
 * Gives a container a new version whenever its listing changes, also when a member is replaced, which does not change
 * the container itself. Members are read only where the listing reads them anyway, or where a change of the container
 * has conditions.
 *
 * Its place is directly before the store that lists, whose metadata of a container include those of its members.
 */
export class ListedContainersStore extends PassthroughStore {
  /** @param source - The store behind it, which lists members. */

  public constructor(source: ResourceStore) {
    super(source);
  }

  public override async getRepresentation(
    identifier: ResourceIdentifier,
    preferences: RepresentationPreferences,
    conditions?: Conditions,
  ): Promise<Representation> {
    const representation = await super.getRepresentation(identifier, preferences, conditions);
    if (isContainerIdentifier(identifier)) {
      noteListing(representation.metadata, representation.metadata);
    }
    return representation;
  }

  public override async addResource(
    container: ResourceIdentifier,
    representation: Representation,
    conditions?: Conditions,
  ): Promise<ChangeMap> {
    return super.addResource(container, representation, await this.withListing(container, conditions));
  }

  public override async setRepresentation(
    identifier: ResourceIdentifier,
    representation: Representation,
    conditions?: Conditions,
  ): Promise<ChangeMap> {
    return super.setRepresentation(identifier, representation, await this.withListing(identifier, conditions));
  }

  public override async modifyResource(
    identifier: ResourceIdentifier,
    patch: Patch,
    conditions?: Conditions,
  ): Promise<ChangeMap> {
    return super.modifyResource(identifier, patch, await this.withListing(identifier, conditions));
  }

  public override async deleteResource(identifier: ResourceIdentifier, conditions?: Conditions): Promise<ChangeMap> {
    return super.deleteResource(identifier, await this.withListing(identifier, conditions));
  }

  /** Conditions that hold or not for what is listed now. */
  private async withListing(identifier: ResourceIdentifier, conditions?: Conditions): Promise<Conditions | undefined> {
    if (!conditions || !isContainerIdentifier(identifier) || !await this.hasResource(identifier)) {
      return conditions;
    }
    const { data, metadata: listed } = await super.getRepresentation(identifier, {});
    data.destroy();
    return {
      ...conditions,
      matchesMetadata(metadata?: RepresentationMetadata, strict?: boolean): boolean {
        if (metadata) {
          noteListing(metadata, listed);
        }
        return conditions.matchesMetadata(metadata, strict);
      },
    };
  }
}
