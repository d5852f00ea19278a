import { BadRequestHttpError, isContainerIdentifier } from '@solid/community-server';
import type { ResourceIdentifier, StorageLocationStrategy } from '@solid/community-server';

/** Checks by its path whether a storage could have its root at a resource. */
export async function isPlaceOfStorage(
  identifier: ResourceIdentifier,
  strategy: StorageLocationStrategy,
): Promise<boolean> {
  if (!isContainerIdentifier(identifier)) {
    return false;
  }
  try {
    return (await strategy.getStorageIdentifier(identifier)).path === identifier.path;
  } catch (error: unknown) {
    if (BadRequestHttpError.isInstance(error)) {
      // Around all storages.
      return false;
    }
    throw error;
  }
}
