import type { ResourceRows } from '../../platform/ResourceRows';
import type { ValueRoom } from '../values/ValueChange';

/** Values in a database. */
export interface ValueRows extends ValueRoom {
  /** Lists the values whose names have this prefix, by name. */
  entries: (prefix: string) => AsyncIterableIterator<[name: string, text: string]>;
}

/** Database for pods and the server's own values. */
export interface PodDatabase {
  /** Returns the tables of both. */
  pods: () => Promise<{ resources: ResourceRows; values: ValueRows }>;
}
