import { PassthroughStore } from '@solid/community-server';
import type { ChangeMap, Conditions, ResourceIdentifier, ResourceStore } from '@solid/community-server';
import { removingJointly } from './jointRemovals';

/**
 * Removes a resource together with its access rules and description, if the storage can, as `DurableFileDataAccessor`
 * does. The server's own store removes these first: for that long, the rules of the container would govern the
 * resource, and for good if the server crashed or the resource could not be removed.
 */
export class RemovedTogetherStore extends PassthroughStore {
  /** @param source - The store behind it, which removes resources. */
  public constructor(source: ResourceStore) {
    super(source);
  }

  public override async deleteResource(identifier: ResourceIdentifier, conditions?: Conditions): Promise<ChangeMap> {
    return removingJointly(identifier, async(): Promise<ChangeMap> => super.deleteResource(identifier, conditions));
  }
}
