import type { RepresentationMetadata } from '@solid/community-server';

/** A media type with its parameters. */
export type MediaType = NonNullable<RepresentationMetadata['contentTypeObject']>;

/** @see [RFC 9110, section 5.6.2](https://www.rfc-editor.org/rfc/rfc9110#section-5.6.2) */
const token = /^[\w!#$%&'*+.^`|~-]+$/u;

/**
 * Normalises a media type for comparison: names of types and parameters become lower case, values of parameters stay.
 * Parameters without a value are left out, like other malformed ones: the server's parser returns them, but a resource
 * stored with one could never be read, replaced or removed.
 *
 * @see [RFC 9110, section 8.3.1](https://www.rfc-editor.org/rfc/rfc9110#section-8.3.1)
 */
export function inLowerCase(type: MediaType): MediaType {
  const parameters = Object.entries<string | undefined>(type.parameters).flatMap(([ name, text ]): [string, string][] =>
    text === undefined ? [] : [[ name.toLowerCase(), text ]]);
  return Object.assign(type, { value: type.value.toLowerCase(), parameters: Object.fromEntries(parameters) });
}

/** Normalises the media type of a resource: earlier versions stored it as sent. */
export function lowerMediaType(metadata: RepresentationMetadata): void {
  const type = metadata.contentTypeObject;
  if (type && [ type.value, ...Object.keys(type.parameters) ].some((name): boolean => name !== name.toLowerCase())) {
    metadata.contentTypeObject = inLowerCase(type);
  }
}

/**
 * Writes a media type as the value of a header. Values of parameters that are not a token are quoted, as they were when
 * they were sent; the server's own method leaves the quotes out.
 *
 * @see [RFC 9110, section 5.6.6](https://www.rfc-editor.org/rfc/rfc9110#section-5.6.6)
 */
export function mediaTypeHeader({ value, parameters }: MediaType): string {
  const written = Object.entries(parameters)
    .sort(([ left ], [ right ]): number => left.localeCompare(right))
    .map(([ name, text ]): string => `${name}=${token.test(text) ? text : quoted(text)}`);
  return [ value, ...written ].join('; ');
}

/** Quotes a text, which is kept with the escapes that it was sent with. */
function quoted(text: string): string {
  return `"${text.replaceAll(/\\(.)/gu, '$1').replaceAll(/["\\]/gu, String.raw`\$&`)}"`;
}
