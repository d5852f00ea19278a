/**
 * Parses JSON that this service wrote or ships. It has the type that was written, and is not checked. Use `parseJson`
 * for text from anywhere else.
 */
export function parseOwn<T>(text: string): T {
  return JSON.parse(text) as T;
}
