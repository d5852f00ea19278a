/** A resource as a row of a database, without its bytes. */
export interface ResourceRow {
  /** Absent for containers. */
  contentType?: string;
  /** Further statements about the resource, which the store does not interpret. */
  metadata: string;
  modified: Date;
  /** Bytes of a document; 0 for containers. */
  size: number;
}

/** The part of a row that describes the resource. */
export type RowDescription = Omit<ResourceRow, 'size'>;

/** A stored resource. Each version of it has another revision. */
export interface FoundRow extends ResourceRow {
  revision: number;
}

/** A resource that is read together with others. */
export interface ReadRow extends FoundRow {
  /** Bytes of a document that is short enough. */
  body?: Buffer;
}

/**
 * The revision on which a change is based, or `null` when there was no resource. A change without one is unconditional.
 */
export type SeenRevision = number | null | undefined;

/** A member of a container. */
export interface RowMember extends Pick<ResourceRow, 'contentType' | 'modified' | 'size'> {
  path: string;
}

/** Location of a resource. Paths begin with a slash; those of containers end with one. */
export interface RowPlace {
  path: string;
  /** Path of the container it is in; absent for the root. */
  parent?: string;
}

/** Reason why a change was refused. */
export type RowConflictReason = 'nameTaken' | 'noParent' | 'notEmpty' | 'tooLong';

/** A change that would have broken the tree of resources. */
export class RowConflict extends Error {
  public constructor(public readonly reason: RowConflictReason, options?: ErrorOptions) {
    super(reason, options);
  }
}

/** A change that missed a later version. Nothing has changed. */
export class RowSuperseded extends Error {
  public constructor() {
    super('The resource was changed elsewhere at the same time');
  }
}

/**
 * Resources of a server as rows of a database that several nodes share. A document is replaced at once, after all of
 * its bytes have arrived: readers find the old one or the new one.
 */
export interface ResourceRows {
  /** Finds a resource, without its bytes. */
  find: (path: string) => Promise<FoundRow | undefined>;
  /** Finds the existing ones of some resources, by path, all as of the same moment. */
  findTogether: (paths: readonly string[]) => Promise<Map<string, ReadRow>>;
  /** Finds a document with its bytes, when they fit in one row. */
  findWhole: (path: string) => Promise<ResourceRow & { body: Buffer } | undefined>;
  /** Opens the bytes of a document, with one chunk in memory at a time. */
  open: (path: string) => Promise<AsyncIterable<Buffer> | undefined>;
  /** Lists the members of a container in the order of their paths. */
  listMembers: (container: string) => AsyncIterableIterator<RowMember>;
  /**
   * Returns the state of a listing: a version, and the latest change of a member.
   *
   * @param container - Path of the container.
   * @param hidden - Suffixes of paths that are not listed.
   */
  findListing: (container: string, hidden: readonly string[]) => Promise<{ version: string; modified?: Date }>;
  /**
   * Creates or replaces a document once all of its bytes have arrived. An interrupted body changes nothing.
   *
   * @throws RowConflict
   * @throws RowSuperseded
   */
  writeDocument: (
    place: RowPlace,
    entry: RowDescription,
    body: AsyncIterable<Buffer>,
    seen?: SeenRevision,
  ) => Promise<void>;
  /**
   * Creates a container, or replaces its description.
   *
   * @throws RowConflict
   */
  writeContainer: (place: RowPlace, entry: RowDescription) => Promise<void>;
  /**
   * Creates a container if it is missing. An existing one keeps its description.
   *
   * @throws RowConflict
   */
  makeContainer: (place: RowPlace, entry: RowDescription) => Promise<void>;
  /** Creates the root container if it is missing, where searches for a parent end, as with files. */
  makeRoot: () => Promise<void>;
  /** Records that a container has changed, keeping its description. Returns false when it is missing. */
  touch: (path: string, entry: Pick<RowDescription, 'modified'>) => Promise<boolean>;
  /**
   * Replaces the description of a resource. Returns false when the resource is missing.
   *
   * @param seen - The replaced revision, or the current description.
   *
   * @throws RowSuperseded
   */
  writeMetadata: (path: string, entry: RowDescription, seen?: SeenRevision | string) => Promise<boolean>;
  /**
   * Removes a document, or a container without members. Returns false when it was missing.
   *
   * @param others - Documents that are removed in the same transaction, if the resource is.
   * @param seen - Revision of the document to remove.
   *
   * @throws RowConflict
   * @throws RowSuperseded
   */
  delete: (path: string, others?: readonly string[], seen?: SeenRevision) => Promise<boolean>;
  /** Removes a container and everything below it, including concurrent writes. */
  deleteTree: (path: string) => Promise<void>;
  /**
   * Removes chunks of uploads that a crash interrupted.
   *
   * @param olderThanMs - Minimum age of the chunks; a day by default. 0 is safe when no other process is running.
   */
  sweep: (olderThanMs?: number) => Promise<void>;
}
