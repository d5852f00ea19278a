const maxLength = 2048;

// Excludes characters that an IRI cannot have (RFC 3987), or that parsers of URLs drop or read as others.
// eslint-disable-next-line no-control-regex -- they are refused
const form = /^([a-z][a-z\d+.-]*):[^\u0000-\u0020\u007F<>"{}|\\^`]+$/iu;

/**
 * Checks whether this is an absolute IRI that means the same to every reader, at most 2048 characters long.
 *
 * @param schemes - Allowed schemes; those given are followed by `//` and an authority. Any when left out.
 */
export function isIri(value: unknown, schemes?: readonly string[]): value is string {
  if (typeof value !== 'string' || value.length > maxLength || /\p{Surrogate}/u.test(value)) {
    return false;
  }
  const match = form.exec(value);
  if (!match || !URL.canParse(value)) {
    return false;
  }
  return !schemes || (schemes.includes(match[1].toLowerCase()) && /^[a-z]+:\/\/[^/?#@]+(?:[/?#]|$)/iu.test(value));
}

/** Checks whether this is an absolute http or https URL without credentials. */
export function isWebUrl(value: unknown): value is string {
  return isIri(value, [ 'http', 'https' ]);
}
