import type { DataAccessor, ResourceIdentifier } from '@solid/community-server';

/** Prevents earlier requests from creating containers again that were removed for good. */
export interface ContainerGate {
  /**
   * To be asked once it is seen that a container is not there, and before it is made.
   *
   * @throws NotFoundHttpError when it, or one it is in, is being removed for good, or was.
   */
  requireOpen: (container: ResourceIdentifier) => Promise<void>;
}

/** Storage of resources that can remove any of them. */
export interface TreeDataAccessor extends DataAccessor {
  /**
   * Removes a container with all that is in it, past what the server would refuse. Nothing happens where there is none.
   * Once it resolves nothing is left.
   */
  removeTree: (container: ResourceIdentifier) => Promise<void>;
}
