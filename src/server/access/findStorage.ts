import { BadRequestHttpError } from '@solid/community-server';
import type { ResourceIdentifier, StorageLocationStrategy } from '@solid/community-server';

/** Finds by its path the root of the storage that a resource would be in; undefined around all storages. */
export async function findStorage(
  identifier: ResourceIdentifier,
  strategy: StorageLocationStrategy,
): Promise<ResourceIdentifier | undefined> {
  try {
    return await strategy.getStorageIdentifier(identifier);
  } catch (error: unknown) {
    if (BadRequestHttpError.isInstance(error)) {
      return undefined;
    }
    throw error;
  }
}
