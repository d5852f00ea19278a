/**
 * Gives access to members that the type of an object hides, such as private ones of a class of the server or a library.
 * The caller declares them, and must either report a missing member or be covered by a test that starts the server.
 */
export function opened<T extends object>(target: object): T {
  return target as T;
}
