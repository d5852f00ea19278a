import { AsyncLocalStorage } from 'node:async_hooks';

/**
 * Versions by path: the one that a change of the storage found first, or `null` where it found nothing. The version of
 * a container is its stored description: its other data changes with each member, without a lock.
 */
export type VersionsSeen = Map<string, number | string | null>;

const storage = new AsyncLocalStorage<VersionsSeen>();

/**
 * Runs one change of the storage, based on the versions that it finds first. Within another change, shares its
 * versions.
 */
export async function seeingVersions<T>(change: () => Promise<T>): Promise<T> {
  return storage.getStore() ? change() : storage.run(new Map(), change);
}

/** Returns the versions that the current change has found; `undefined` outside of one. */
export function versionsSeen(): VersionsSeen | undefined {
  return storage.getStore();
}
