import { AsyncLocalStorage } from 'node:async_hooks';

/**
 * By path: the version that a change of the storage found at first, or `null` where it found nothing. That of a
 * container is its description as it is stored: all else of it changes with each member, under no lock.
 */
export type VersionsSeen = Map<string, number | string | null>;

const storage = new AsyncLocalStorage<VersionsSeen>();

/** Runs one change of the storage, which goes by the versions that it finds at first; within another one, by those. */
export async function seeingVersions<T>(change: () => Promise<T>): Promise<T> {
  return storage.getStore() ? change() : storage.run(new Map(), change);
}

/** The versions that the current change has found; `undefined` outside of one. */
export function versionsSeen(): VersionsSeen | undefined {
  return storage.getStore();
}
