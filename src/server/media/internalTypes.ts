/**
 * True for a media type, or range of them, that the server uses for objects in its memory, such as `internal/quads`:
 * no request has a body of that type.
 */
export function isInternalType(type: string): boolean {
  return /^\s*internal\//iu.test(type);
}
