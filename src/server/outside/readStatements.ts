import { BadRequestHttpError, readableToQuads, responseToDataset } from '@solid/community-server';
import type { RepresentationConverter } from '@solid/community-server';
import type { Store } from 'n3';

/**
 * Reads the statements of a document that a caller named. If it cannot be read, because it is no RDF or has a mistake,
 * the caller named a wrong one.
 *
 * @param response - The document as fetched.
 * @param converter - Reads it.
 * @param text - Its body, if that was read.
 *
 * @throws BadRequestHttpError without details.
 */
export async function readStatements(
  response: Response,
  converter: RepresentationConverter,
  text?: string,
): Promise<Store> {
  try {
    const { data } = await responseToDataset(response, converter, text);
    return await readableToQuads(data);
  } catch (error: unknown) {
    throw new BadRequestHttpError(`Unable to read data at ${response.url}`, { cause: error });
  }
}
