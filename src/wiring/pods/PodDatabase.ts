import type { PodRoom } from '../../storage/openRecords';

/** The storage of pods and the server's own values in a database. */
export interface PodDatabase {
  /** Room for both. */
  pods: () => Promise<PodRoom>;
}
