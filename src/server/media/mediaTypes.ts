import type { RepresentationMetadata } from '@solid/community-server';

/** A media type with its parameters. */
export type MediaType = NonNullable<RepresentationMetadata['contentTypeObject']>;

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
