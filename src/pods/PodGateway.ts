import type { PodResource } from '../platform/PodResource';
import type { ResourceUri } from './resourceUri';

/** The whole of a small document. */
export interface PodBytes {
  bytes: Buffer;
  /** Media type without parameters. */
  contentType: string;
  etag: string;
  modified: Date;
}

/**
 * Resources of pods on this server, without any access checks: the caller has decided. Auxiliary resources (`.acl`,
 * `.acr`, `.meta`) are never found.
 */
export interface PodGateway {
  /** Returns a document, or the listing of a container in Turtle. */
  find: (uri: ResourceUri) => Promise<PodResource | undefined>;
  /** Returns a document of at most `maxBytes`; `undefined` when there is none or it is larger. */
  findBytes: (uri: ResourceUri, maxBytes: number) => Promise<PodBytes | undefined>;
  /** Lists the URIs of the members of a container; none when it does not exist. */
  list: (container: string) => Promise<string[]>;
  /** Checks whether a document or container exists. */
  exists: (uri: ResourceUri) => Promise<boolean>;
  /**
   * Stores bytes unchanged, and creates missing containers.
   *
   * @param replaced - Entity tag of the version to replace; `null` when there must be none; when absent, any version is
   *   replaced.
   *
   * @throws Unavailable when the current version is not the one to replace.
   */
  write: (uri: ResourceUri, bytes: Buffer, contentType: string, replaced?: string | null) => Promise<void>;
  /** Removes a resource; ignores a missing one. */
  remove: (uri: ResourceUri) => Promise<void>;
}
