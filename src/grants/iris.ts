import { hasHalfCharacter } from '../platform/hasHalfCharacter';

const maxLength = 2048;

// Excludes characters that an IRI cannot have (RFC 3987), or that URL parsers drop or replace.
// eslint-disable-next-line no-control-regex -- they are refused
const form = /^[a-z][a-z\d+.-]*:[^\u0000-\u0020\u007F<>"{}|\\^`]+$/iu;

/**
 * Checks whether this is an unambiguous absolute IRI of at most 2048 characters.
 *
 * @param schemes - Allowed schemes, which must be followed by `//` and an authority; any scheme when left out.
 */
export function isIri(value: unknown, schemes?: readonly string[]): value is string {
  if (typeof value !== 'string' || value.length > maxLength || !isUnambiguousIri(value)) {
    return false;
  }
  return !schemes || (schemes.includes(value.slice(0, value.indexOf(':')).toLowerCase()) &&
    /^[a-z]+:\/\/[^/?#@]+(?:[/?#]|$)/iu.test(value));
}

/** Checks whether this is an unambiguous absolute IRI of any length. */
export function isUnambiguousIri(text: string): boolean {
  return form.test(text) && !hasHalfCharacter(text) && URL.canParse(text);
}

/** Checks whether this is an absolute http or https URL without credentials. */
export function isWebUrl(value: unknown): value is string {
  return isIri(value, [ 'http', 'https' ]);
}
