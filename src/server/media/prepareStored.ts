import { SOLID_META } from '@solid/community-server';
import type { RepresentationMetadata } from '@solid/community-server';
import { lowerMediaType } from './mediaTypes';

/** Names of the server and of this package, with which handlers tell each other how to respond. */
const internalName = /^urn:(?:npm:solid:community-server|css-data-sharing):/u;
/** The parameters of a media type are stored. */
const storedNames = new Set<string>([ SOLID_META.contentTypeParameter, SOLID_META.value ]);

/**
 * Prepares a stored description for the server's handlers: normalises the media type, and removes statements in
 * internal names. Anybody who may write the resource can have put these there: they would set the status, `Location`
 * and other headers of responses, or choose a file as a template.
 */
export function prepareStored(metadata: RepresentationMetadata): void {
  const internal = metadata.quads().filter(({ predicate: { value }}): boolean =>
    internalName.test(value) && !storedNames.has(value));
  metadata.removeQuads(internal);
  lowerMediaType(metadata);
}
