import type { DataAccessor, ResourceIdentifier } from '@solid/community-server';

/** The server's own values, by the keys of its storages. */
export interface OwnValues {
  entries: () => AsyncIterable<[key: string, value: unknown]>;
  get: (key: string) => Promise<unknown>;
  set: (key: string, value: unknown) => Promise<unknown>;
}

/** Resources of pods, with times as precise as they are stored. */
export interface PodTree {
  accessor: DataAccessor;
  /** Returns when a resource was last changed. */
  modifiedOf: (identifier: ResourceIdentifier) => Promise<Date>;
  /** Sets the time of the last change. For a container, call it once all members exist. Absent when writing sets it. */
  settle?: (identifier: ResourceIdentifier, modified: Date) => Promise<void>;
}

/** Checks whether a resource can keep its name. Calls `typeOf` only if the content type matters. */
export type CanKeep = (identifier: ResourceIdentifier, typeOf: () => Promise<string | undefined>) => Promise<boolean>;

/** Pods and the server's own values, in one of their possible locations. */
export interface PodSide {
  /** Returns a check for the names of resources of the server with this base URL. Absent when all names can be kept. */
  namesOf?: (baseUrl: string) => CanKeep;
  values: OwnValues;
  /** Returns the pods of the server with this base URL. */
  tree: (baseUrl: string) => PodTree;
  isEmpty: () => Promise<boolean>;
  /** Finishes or removes interrupted changes, as a start of the server does. */
  tidy: () => Promise<void>;
}

/** Counts items. */
export async function count(items: AsyncIterable<unknown>): Promise<number> {
  const iterator = items[Symbol.asyncIterator]();
  let number = 0;
  while (!(await iterator.next()).done) {
    number += 1;
  }
  return number;
}
