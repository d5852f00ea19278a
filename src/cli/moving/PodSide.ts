import type { DataAccessor, ResourceIdentifier } from '@solid/community-server';

/** The server's own values, by the keys that its storages have for them. */
export interface OwnValues {
  entries: () => AsyncIterable<[key: string, value: unknown]>;
  get: (key: string) => Promise<unknown>;
  set: (key: string, value: unknown) => Promise<unknown>;
}

/** Resources of pods, with times as exact as they are kept. */
export interface PodTree {
  accessor: DataAccessor;
  /** When a resource was last changed. */
  modifiedOf: (identifier: ResourceIdentifier) => Promise<Date>;
  /** Sets that time; of a container, once all of its members are there. Absent where writing does it. */
  settle?: (identifier: ResourceIdentifier, modified: Date) => Promise<void>;
}

/** Returns true when a resource can be kept under its name. Asks for its content type where that matters. */
export type CanKeep = (identifier: ResourceIdentifier, typeOf: () => Promise<string | undefined>) => Promise<boolean>;

/** Pods and the server's own values, in one of the places where they can be. */
export interface PodSide {
  /** Checks which resources of the server with this base URL can keep their names. Absent where all can. */
  namesOf?: (baseUrl: string) => CanKeep;
  values: OwnValues;
  /** The pods of the server with this base URL. */
  tree: (baseUrl: string) => PodTree;
  isEmpty: () => Promise<boolean>;
  /** Finishes or removes interrupted changes, as a start of the server does. */
  tidy: () => Promise<void>;
}

/** How many there are. */
export async function count(items: AsyncIterable<unknown>): Promise<number> {
  const iterator = items[Symbol.asyncIterator]();
  let number = 0;
  while (!(await iterator.next()).done) {
    number += 1;
  }
  return number;
}
