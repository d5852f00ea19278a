import { AsyncLocalStorage } from 'node:async_hooks';
import type { ResourceIdentifier } from '@solid/community-server';
import { isAuxiliaryName } from '../../platform/resourceNames';

const removed = new AsyncLocalStorage<ResourceIdentifier>();

/** Runs the removal of a resource during which the storage keeps its auxiliary resources, to remove them with it. */
export async function removingJointly<T>(resource: ResourceIdentifier, removal: () => Promise<T>): Promise<T> {
  return removed.run(resource, removal);
}

/** Checks for an auxiliary resource whose subject is being removed. */
export function isRemovedWithSubject(resource: ResourceIdentifier): boolean {
  return isAuxiliaryName(resource.path) && subjectOf(resource).path === removed.getStore()?.path;
}

/** Returns the subject of an auxiliary resource, whose lock covers both; any other resource is its own subject. */
export function subjectOf({ path }: ResourceIdentifier): ResourceIdentifier {
  return { path: isAuxiliaryName(path) ? path.replace(/\.[^./]*$/u, '') : path };
}
