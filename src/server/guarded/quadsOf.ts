import type { Readable } from 'node:stream';
import {
  BadRequestHttpError,
  BasicRepresentation,
  INTERNAL_QUADS,
  NotFoundHttpError,
  NotImplementedHttpError,
  readableToQuads,
  UnsupportedMediaTypeHttpError,
} from '@solid/community-server';
import type { Guarded, RepresentationConverter, ResourceIdentifier, ResourceStore } from '@solid/community-server';
import type { Quad } from 'n3';

/** Returns the statements of a document; none when it is absent or cannot be read. */
export async function quadsOf(
  store: Pick<ResourceStore, 'getRepresentation'>,
  document: ResourceIdentifier,
): Promise<Quad[]> {
  try {
    const { data } = await store.getRepresentation(document, { type: { [INTERNAL_QUADS]: 1 }});
    return await collectQuads(data);
  } catch (error: unknown) {
    if (NotFoundHttpError.isInstance(error) || BadRequestHttpError.isInstance(error) || isUnsupported(error)) {
      return [];
    }
    throw error;
  }
}

/**
 * Reads a text as RDF.
 *
 * @param converter - Reads RDF.
 * @param document - Document that the text is of.
 * @param text - The text.
 * @param contentType - Its media type.
 *
 * @returns A stream of its statements.
 *
 * @throws HttpError when it is no RDF: see {@link isUnsupported}.
 */
export async function openQuads(
  converter: RepresentationConverter,
  document: ResourceIdentifier,
  text: string,
  contentType = '',
): Promise<Guarded<Readable>> {
  const { data } = await converter.handleSafe({
    identifier: document,
    representation: new BasicRepresentation(text, document, contentType),
    preferences: { type: { [INTERNAL_QUADS]: 1 }},
  });
  return data;
}

/** Returns all statements of a stream. */
export async function collectQuads(data: Guarded<Readable>): Promise<Quad[]> {
  return (await readableToQuads(data)).getQuads(null, null, null, null);
}

/** Checks for the error of a document that is no RDF. */
export function isUnsupported(error: unknown): boolean {
  return NotImplementedHttpError.isInstance(error) || UnsupportedMediaTypeHttpError.isInstance(error);
}
