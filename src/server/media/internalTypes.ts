/**
 * Checks for a media type, or range of types, that the server uses for objects in memory, such as `internal/quads`. No
 * body has such a type.
 */
export function isInternalType(type: string): boolean {
  return /^\s*internal\//iu.test(type);
}
