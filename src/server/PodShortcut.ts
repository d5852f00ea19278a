import type { PodResource } from '../platform/PodResource';

/** A shortcut to resources of pods past the server's store, for one kind of storage. */
export interface PodShortcut {
  /**
   * Finds a document that is neither auxiliary nor a container.
   *
   * @returns The same as the server's store; `undefined` to leave the request to the store.
   */
  find: (uri: string) => Promise<PodResource | undefined>;
}
