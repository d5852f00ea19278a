/** The bytes of a piece of a stream, which are its pieces unless whoever writes it gave text. */
export function bytesOf(piece: unknown): Buffer {
  return typeof piece === 'string' ? Buffer.from(piece) : Buffer.from(piece as Uint8Array);
}
