/**
 * Parses JSON that this service itself has written, or ships: it has the type that was written, and is not checked.
 * For texts of anybody else there is `parseJson`.
 */
export function parseOwn<T>(text: string): T {
  return JSON.parse(text) as T;
}
