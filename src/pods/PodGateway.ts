import type { Readable } from 'node:stream';

/** A resource of a pod, as stored. */
export interface PodResource {
  contentType: string;
  /** Strong entity tag with its quotes. */
  etag: string;
  modified: Date;
  /** Bytes of the whole resource. */
  size: number;
  /** The bytes: all of them, or a stream to be read to its end or destroyed. */
  body: Buffer | Readable;
}

/**
 * Resources of pods on this server, without any check of rights: whoever calls has made the decision.
 * Containers and auxiliary resources (`.acl`, `.acr`, `.meta`) are never found.
 */
export interface PodGateway {
  find: (uri: string) => Promise<PodResource | undefined>;
  /** The whole of a small resource, at most `maxBytes`; `undefined` when there is none or it is larger. */
  findBytes: (
    uri: string,
    maxBytes: number,
  ) => Promise<{ bytes: Buffer; contentType: string; etag: string; modified: Date } | undefined>;
  exists: (uri: string) => Promise<boolean>;
  /** Stores bytes as they are, making missing containers. */
  write: (uri: string, bytes: Buffer, contentType: string) => Promise<void>;
  /** Removes a resource; one that is not there is fine. */
  remove: (uri: string) => Promise<void>;
}
