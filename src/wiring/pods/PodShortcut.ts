import type { PodResource } from '../../pods/PodGateway';

/** A shortcut to resources of pods past the server's store, for one kind of storage. */
export interface PodShortcut {
  /**
   * Finds a document that is neither auxiliary nor a container.
   *
   * @returns What the server's store would; `undefined` to leave the answer to the store.
   */
  find: (uri: string) => Promise<PodResource | undefined>;
}
