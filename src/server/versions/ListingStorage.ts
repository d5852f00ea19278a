import type { DataAccessor, ResourceIdentifier, ResourceStore } from '@solid/community-server';

/** State of the listing of a container, without the container's own description. */
export interface ListingState {
  /** Changes whenever a member is added, removed or replaced. Letters, digits and dots. */
  version: string;
  /** Latest time of a change among the members; absent when there are none. */
  modified?: Date;
}

/** The facts about a member that a listing shows. */
export interface ListedMember {
  identifier: ResourceIdentifier;
  modified: Date;
  /** Bytes of a document; absent for containers. */
  size?: number;
  /** Media type of a document, without parameters. */
  mediaType?: string;
}

/** A storage that knows the state of a listing without making it, and lists members one by one. */
export interface ListingStorage extends DataAccessor {
  /** Checks whether this storage has all resources of a store, and can list them. */
  lists: (backend: ResourceStore) => boolean;
  /**
   * Returns the current state of a listing. Members that are listed later are at least as new.
   *
   * @param container - Container to list.
   * @param hidden - Suffixes of names that are not listed.
   *
   * @returns Undefined when the storage does not know: see {@link ListedContainersStore}.
   */
  findListing: (container: ResourceIdentifier, hidden: readonly string[]) => Promise<ListingState | undefined>;
  /** Lists all members, in any order, with only a few in memory at a time. */
  listMembers: (container: ResourceIdentifier) => AsyncIterable<ListedMember>;
}
