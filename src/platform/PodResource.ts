import type { Readable } from 'node:stream';

/** A resource of a pod, as stored. */
export interface PodResource {
  /** Media type with its parameters. */
  contentType: string;
  /** Strong entity tag with its quotes. */
  etag: string;
  modified: Date;
  /** Bytes of the whole resource. */
  size: number;
  /** All bytes, or a stream that must be read to its end or destroyed. */
  body: Buffer | Readable;
}
