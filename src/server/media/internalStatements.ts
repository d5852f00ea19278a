import { SOLID_META } from '@solid/community-server';
import type { RepresentationMetadata } from '@solid/community-server';

/** Names of the server and of this package, with which handlers tell each other how to respond. */
const internalName = /^urn:(?:npm:solid:community-server|css-data-sharing):/u;
/** The parameters of a media type are stored. */
const storedNames = new Set<string>([ SOLID_META.contentTypeParameter, SOLID_META.value ]);

/**
 * Removes statements in internal names from a stored description, which anybody who may write the resource can have put
 * there: they would set the status, `Location` and other headers of responses, or choose a file as a template.
 */
export function removeInternalStatements(metadata: RepresentationMetadata): void {
  const internal = metadata.quads().filter(({ predicate: { value }}): boolean =>
    internalName.test(value) && !storedNames.has(value));
  metadata.removeQuads(internal);
}
