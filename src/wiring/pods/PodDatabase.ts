import type { PodRoom } from '../../storage/openRecords';

/** Where pods and the server's own values are kept in a database. */
export interface PodDatabase {
  /** Room for both. */
  pods: () => Promise<PodRoom>;
}
