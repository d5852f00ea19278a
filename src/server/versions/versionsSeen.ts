import { AsyncLocalStorage } from 'node:async_hooks';

/** By path: the version that a change of the storage found, or `null` where it found nothing. */
export type VersionsSeen = Map<string, number | null>;

const storage = new AsyncLocalStorage<VersionsSeen>();

/** Runs one change of the storage, which goes by the versions that it finds at first. */
export async function seeingVersions<T>(change: () => Promise<T>): Promise<T> {
  return storage.run(new Map(), change);
}

/** The versions that the current change has found; `undefined` outside of one. */
export function versionsSeen(): VersionsSeen | undefined {
  return storage.getStore();
}
