import { PassthroughStore } from '@solid/community-server';
import type {
  ChangeMap,
  Conditions,
  Patch,
  Representation,
  ResourceIdentifier,
  ResourceStore,
} from '@solid/community-server';
import { seeingVersions } from './versionsSeen';

/**
 * Binds each change to the versions of the documents that it has read: the storage refuses the change when there is a
 * later version. A process that lost its lock during a change, because it was frozen or Redis was flushed, overwrites
 * nothing.
 *
 * Belongs below the store that takes the locks.
 */
export class VersionedChangesStore extends PassthroughStore {
  /** @param source - The store behind it, which takes no locks. */

  public constructor(source: ResourceStore) {
    super(source);
  }

  public async addResource(
    container: ResourceIdentifier,
    representation: Representation,
    conditions?: Conditions,
  ): Promise<ChangeMap> {
    return seeingVersions(async(): Promise<ChangeMap> => super.addResource(container, representation, conditions));
  }

  public async setRepresentation(
    identifier: ResourceIdentifier,
    representation: Representation,
    conditions?: Conditions,
  ): Promise<ChangeMap> {
    return seeingVersions(async(): Promise<ChangeMap> =>
      super.setRepresentation(identifier, representation, conditions));
  }

  public async modifyResource(
    identifier: ResourceIdentifier,
    patch: Patch,
    conditions?: Conditions,
  ): Promise<ChangeMap> {
    return seeingVersions(async(): Promise<ChangeMap> => super.modifyResource(identifier, patch, conditions));
  }

  public async deleteResource(identifier: ResourceIdentifier, conditions?: Conditions): Promise<ChangeMap> {
    return seeingVersions(async(): Promise<ChangeMap> => super.deleteResource(identifier, conditions));
  }
}
