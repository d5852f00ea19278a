/** A resource as a row of a database, without its bytes. */
export interface ResourceRow {
  /** Absent for containers. */
  contentType?: string;
  /** Further statements about the resource: opaque to the store. */
  metadata: string;
  modified: Date;
  /** Bytes of a document; 0 for containers. */
  size: number;
}

/** The part of a row that describes the resource. */
export type RowDescription = Omit<ResourceRow, 'size'>;

/** A resource as it is found: each version of it has another revision. */
export interface FoundRow extends ResourceRow {
  revision: number;
}

/** A resource as it is read together with others. */
export interface ReadRow extends FoundRow {
  /** Of a document that is short enough. */
  body?: Buffer;
}

/**
 * The revision that a change goes by, or `null` where it found nothing. A change without one takes place whatever is
 * there.
 */
export type SeenRevision = number | null | undefined;

/** A member of a container. */
export interface RowMember extends Pick<ResourceRow, 'contentType' | 'modified' | 'size'> {
  path: string;
}

/** Place of a resource. Paths begin with a slash; those of containers end with one. */
export interface RowPlace {
  path: string;
  /** Path of the container it is in; absent for the root. */
  parent?: string;
}

/** Why a change was refused. */
export type RowConflictReason = 'nameTaken' | 'noParent' | 'notEmpty';

/** A change that would have broken the tree of resources. */
export class RowConflict extends Error {
  public constructor(public readonly reason: RowConflictReason, options?: ErrorOptions) {
    super(reason, options);
  }
}

/** A change that overlooked a later version. It has changed nothing. */
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
  /** A resource without its bytes. */
  find: (path: string) => Promise<FoundRow | undefined>;
  /** Those of some resources that are there, by path: all as of the same moment. */
  findTogether: (paths: readonly string[]) => Promise<Map<string, ReadRow>>;
  /** A document with its bytes, when they are few enough to stand in one row. */
  findWhole: (path: string) => Promise<ResourceRow & { body: Buffer } | undefined>;
  /** The bytes of a document, a chunk in memory at a time. */
  open: (path: string) => Promise<AsyncIterable<Buffer> | undefined>;
  /** The members of a container in the order of their paths. */
  listMembers: (container: string) => AsyncIterableIterator<RowMember>;
  /**
   * The state of a listing: a version, and when the member that changed last did.
   *
   * @param container - Path of the container.
   * @param hidden - Suffixes of paths that are not listed.
   */
  findListing: (container: string, hidden: readonly string[]) => Promise<{ version: string; modified?: Date }>;
  /**
   * Makes a document or replaces it, when all of its bytes are there. A body that breaks off changes nothing.
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
   * Makes a container, or replaces what is said about it.
   *
   * @throws RowConflict
   */
  writeContainer: (place: RowPlace, entry: RowDescription) => Promise<void>;
  /**
   * Makes a container where there is none. One that is there by now keeps what is said about it.
   *
   * @throws RowConflict
   */
  makeContainer: (place: RowPlace, entry: RowDescription) => Promise<void>;
  /** Makes the container of all others when it is not there: looks for a parent end at it, as on files. */
  makeRoot: () => Promise<void>;
  /** Notes that a container has changed, and leaves its description as it is. Returns false when there is none. */
  touch: (path: string, entry: Pick<RowDescription, 'modified'>) => Promise<boolean>;
  /**
   * Replaces what is said about a resource. Returns false when there is none.
   *
   * @param seen - The revision that is replaced, or what is said until now.
   *
   * @throws RowSuperseded
   */
  writeMetadata: (path: string, entry: RowDescription, seen?: SeenRevision | string) => Promise<boolean>;
  /**
   * Removes a document, or a container without members. Returns false when there was none.
   *
   * @param others - Documents that are removed at the same moment, if the resource is.
   * @param seen - Revision of the document that is to go.
   *
   * @throws RowConflict
   * @throws RowSuperseded
   */
  delete: (path: string, others?: readonly string[], seen?: SeenRevision) => Promise<boolean>;
  /** Removes a container and all that is below it, what is written into it at this moment included. */
  deleteTree: (path: string) => Promise<void>;
  /**
   * Throws away chunks of uploads that a crash interrupted.
   *
   * @param olderThanMs - How long ago they were written at least; a day when absent. When nobody else is at work, 0
   * will do.
   */
  sweep: (olderThanMs?: number) => Promise<void>;
}
