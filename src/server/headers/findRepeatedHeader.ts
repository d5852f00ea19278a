/** Security-relevant headers that must be unique: Node uses the first one, but a proxy may have used another. */
const single = new Set([ 'authorization', 'content-type', 'host' ]);

/**
 * Finds a header that occurs more than once, but must not.
 *
 * @param rawHeaders - Alternating names and values.
 *
 * @see [RFC 9112, section 3.2](https://www.rfc-editor.org/rfc/rfc9112#section-3.2)
 */
export function findRepeatedHeader(rawHeaders: readonly string[]): string | undefined {
  const seen = new Set<string>();
  for (let at = 0; at < rawHeaders.length; at += 2) {
    const name = rawHeaders[at].toLowerCase();
    if (seen.has(name)) {
      return name;
    }
    if (single.has(name)) {
      seen.add(name);
    }
  }
}
