import type { ResourceRows } from '../../platform/ResourceRows';
import type { ValueRoom } from '../values/ValueChange';

/** Values in a database. */
export interface ValueRows extends ValueRoom {
  /** The values whose names begin so, by name. */
  entries: (prefix: string) => AsyncIterableIterator<[name: string, text: string]>;
}

/** Where pods and the server's own values are kept in a database. */
export interface PodDatabase {
  /** Room for both. */
  pods: () => Promise<{ resources: ResourceRows; values: ValueRows }>;
}
