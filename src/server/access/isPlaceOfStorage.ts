import { isContainerIdentifier } from '@solid/community-server';
import type { ResourceIdentifier, StorageLocationStrategy } from '@solid/community-server';
import { findStorage } from './findStorage';

/** Checks by its path whether a storage could have its root at a resource. */
export async function isPlaceOfStorage(
  identifier: ResourceIdentifier,
  strategy: StorageLocationStrategy,
): Promise<boolean> {
  return isContainerIdentifier(identifier) && (await findStorage(identifier, strategy))?.path === identifier.path;
}
