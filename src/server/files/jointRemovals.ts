import { AsyncLocalStorage } from 'node:async_hooks';
import type { ResourceIdentifier } from '@solid/community-server';
import { isAuxiliaryName } from '../../platform/resourceNames';

const removed = new AsyncLocalStorage<ResourceIdentifier>();

/** Removes a resource, whose auxiliary resources the storage keeps until it goes itself. */
export async function removingJointly<T>(resource: ResourceIdentifier, removal: () => Promise<T>): Promise<T> {
  return removed.run(resource, removal);
}

/** Returns true for an auxiliary resource of a resource that is being removed. */
export function isRemovedWithSubject(resource: ResourceIdentifier): boolean {
  return isAuxiliaryName(resource.path) && subjectOf(resource).path === removed.getStore()?.path;
}

/** The resource that an auxiliary resource is of, under whose lock it is; any other is its own. */
export function subjectOf({ path }: ResourceIdentifier): ResourceIdentifier {
  return { path: isAuxiliaryName(path) ? path.replace(/\.[^./]*$/u, '') : path };
}
