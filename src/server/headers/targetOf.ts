import { SOLID_ERROR } from '@solid/community-server';
import type { RepresentationMetadata } from '@solid/community-server';

/** Returns the URL that a response is about; of an error, the target of the request. */
export function targetOf(metadata: RepresentationMetadata): string {
  return metadata.get(SOLID_ERROR.terms.target)?.value ?? metadata.identifier.value;
}
