/** Headers that decide who is asked for what: of two, Node keeps the first, and a proxy may have gone by the other. */
const single = new Set([ 'authorization', 'content-type', 'host' ]);

/**
 * Finds a header that a request may have only once, and has more often.
 *
 * @param rawHeaders - Names and values in turn.
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
