import type { ResourceUri } from '../../src/pods/resourceUri';
import { parseResourceUri } from '../../src/pods/resourceUri';

/** Parses the URI of a resource, on the server of that URI. */
export function resourceUri(text: string): ResourceUri {
  return parseResourceUri(text, new URL('/', text).href);
}
