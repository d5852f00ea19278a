import {
  BadRequestHttpError,
  INTERNAL_QUADS,
  NotFoundHttpError,
  NotImplementedHttpError,
  readableToQuads,
  UnsupportedMediaTypeHttpError,
} from '@solid/community-server';
import type { ResourceIdentifier, ResourceStore } from '@solid/community-server';
import type { Quad } from '@rdfjs/types';

/** Returns the statements of a document; none when it is absent or cannot be read. */
export async function quadsOf(
  store: Pick<ResourceStore, 'getRepresentation'>,
  document: ResourceIdentifier,
): Promise<Quad[]> {
  try {
    const { data } = await store.getRepresentation(document, { type: { [INTERNAL_QUADS]: 1 }});
    return (await readableToQuads(data)).getQuads(null, null, null, null);
  } catch (error: unknown) {
    if (NotFoundHttpError.isInstance(error) || BadRequestHttpError.isInstance(error) || isUnsupported(error)) {
      return [];
    }
    throw error;
  }
}

/** Checks for the error of a document that is no RDF. */
export function isUnsupported(error: unknown): boolean {
  return NotImplementedHttpError.isInstance(error) || UnsupportedMediaTypeHttpError.isInstance(error);
}
