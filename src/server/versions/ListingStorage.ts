import type { DataAccessor, ResourceIdentifier, ResourceStore } from '@solid/community-server';

/** State of the listing of a container, without the container's own description. */
export interface ListingState {
  /** Changes whenever a member is added, removed or replaced. Letters, digits and dots. */
  version: string;
  /** When the member that changed last did; absent where there are no members. */
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
  /** Checks whether it has all resources of a store, and can list them. */
  lists: (backend: ResourceStore) => boolean;
  /**
   * State of a listing as it is now. Members that are listed later are at least as new.
   *
   * @param container - Of the members.
   * @param hidden - Suffixes of names that are not listed.
   *
   * @returns Undefined where the storage cannot say: see {@link ListedContainersStore}.
   */
  findListing: (container: ResourceIdentifier, hidden: readonly string[]) => Promise<ListingState | undefined>;
  /** All members, in any order, of which no more than some are in memory at a time. */
  listMembers: (container: ResourceIdentifier) => AsyncIterable<ListedMember>;
}
