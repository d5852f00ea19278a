/** Returns the bytes of a chunk of a stream, which may also be a string. */
export function bytesOf(piece: unknown): Buffer {
  // Streams without strings have bytes.
  return typeof piece === 'string' ? Buffer.from(piece) : Buffer.from(piece as Uint8Array);
}
