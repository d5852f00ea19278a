import type { ChainRow } from './chain';

/**
 * A second place for the audit record, such as a log that nobody can take anything out of. A configuration gives one to
 * `DataSharing`.
 *
 * It gets every row, in order, after it is durable in the records; personal facts are ciphertext, so that they cannot
 * be read there any more once a citizen is forgotten. One process of all nodes writes. While it fails, nothing else
 * does: rows wait in the records and are given to it later.
 */
export interface AuditSink {
  /**
   * Finds the last row of the sink, when a process begins to write and after a failure.
   *
   * @returns Sequence number of its last row; 0 when it has none.
   */
  findEnd: () => Promise<number>;
  /**
   * Keeps rows: they are durable when the promise resolves. After a failure or a change of process some may come that
   * the sink has already: they are known by their sequence number.
   *
   * @param rows - At most 200, the first of which follows the last one that the sink has. It has 30 seconds for them.
   */
  write: (rows: readonly ChainRow[]) => Promise<void>;
}
