import type { ResourceUri } from '../../src/pods/resourceUri';
import { parseResourceUri } from '../../src/pods/resourceUri';

/** The URI of a resource, on the server that it names. */
export function resourceUri(text: string): ResourceUri {
  return parseResourceUri(text, new URL('/', text).href);
}
