/**
 * An object with the members that its type hides: private ones of a class of the server or of a library, which the
 * caller declares. Whoever relies on one says so where it is missing, or a test starts the server.
 */
export function opened<T extends object>(target: object): T {
  return target as T;
}
