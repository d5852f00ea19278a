import type { RepresentationMetadata } from '@solid/community-server';

/** A media type with its parameters. */
export type MediaType = NonNullable<RepresentationMetadata['contentTypeObject']>;

/**
 * Normalises a media type for comparison: names of types and parameters become lower case, values of parameters stay.
 *
 * @see [RFC 9110, section 8.3.1](https://www.rfc-editor.org/rfc/rfc9110#section-8.3.1)
 */
export function inLowerCase(type: MediaType): MediaType {
  const parameters = Object.entries(type.parameters).map(([ name, text ]): [string, string] =>
    [ name.toLowerCase(), text ]);
  return Object.assign(type, { value: type.value.toLowerCase(), parameters: Object.fromEntries(parameters) });
}

/** Normalises the media type of a resource: earlier versions stored it as sent. */
export function lowerMediaType(metadata: RepresentationMetadata): void {
  const type = metadata.contentTypeObject;
  if (type && [ type.value, ...Object.keys(type.parameters) ].some((name): boolean => name !== name.toLowerCase())) {
    metadata.contentTypeObject = inLowerCase(type);
  }
}
