import type { DataAccessor, ResourceIdentifier } from '@solid/community-server';

/** Closes containers that are permanently removed, also to earlier requests that would create them again. */
export interface ContainerGate {
  /**
   * Call before every request and, once a container is known to be missing, before creating it.
   *
   * @throws NotFoundHttpError when the resource, or a container above it, was permanently removed or is being removed.
   */
  requireOpen: (resource: ResourceIdentifier) => Promise<void>;
}

/** Storage of resources that can remove any of them. */
export interface TreeDataAccessor extends DataAccessor {
  /**
   * Removes a container with everything in it, including resources that the server would refuse to remove. Does nothing
   * when it is missing. Nothing is left once it resolves.
   */
  removeTree: (container: ResourceIdentifier) => Promise<void>;
  /**
   * Runs work that creates a container with a random name. Nobody else can know the name yet, so no document is looked
   * for that has it, which would take longer the more containers there are.
   */
  creating: (container: ResourceIdentifier, work: () => Promise<void>) => Promise<void>;
}
