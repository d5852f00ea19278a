import type { Readable } from 'node:stream';
import type { ResourceUri } from './resourceUri';

/** A resource of a pod, as stored. */
export interface PodResource {
  /** With its parameters. */
  contentType: string;
  /** Strong entity tag with its quotes. */
  etag: string;
  modified: Date;
  /** Bytes of the whole resource. */
  size: number;
  /** The bytes: all of them, or a stream to be read to its end or destroyed. */
  body: Buffer | Readable;
}

/** The whole of a small document. */
export interface PodBytes {
  bytes: Buffer;
  /** Without parameters. */
  contentType: string;
  etag: string;
  modified: Date;
}

/**
 * Resources of pods on this server, without any check of rights: the caller has made the decision.
 * Auxiliary resources (`.acl`, `.acr`, `.meta`) are never found.
 */
export interface PodGateway {
  /** A document, or the listing of a container, in Turtle. */
  find: (uri: ResourceUri) => Promise<PodResource | undefined>;
  /**
   * A document of at most `maxBytes`; `undefined` when there is none or it is larger.
   */
  findBytes: (uri: ResourceUri, maxBytes: number) => Promise<PodBytes | undefined>;
  /** URIs of the members of a container; none when there is no such container. */
  list: (container: string) => Promise<string[]>;
  /** Checks whether there is such a document or container. */
  exists: (uri: ResourceUri) => Promise<boolean>;
  /**
   * Stores bytes as they are, making missing containers.
   *
   * @param replaced - Entity tag of the version to be replaced, `null` where nothing must be; whatever is there when
   * absent.
   *
   * @throws Unavailable when something else is there than was to be replaced.
   */
  write: (uri: ResourceUri, bytes: Buffer, contentType: string, replaced?: string | null) => Promise<void>;
  /** Removes a resource; one that is not there is fine. */
  remove: (uri: ResourceUri) => Promise<void>;
}
