import type { ChainRow } from './chain';

/**
 * A second place for the audit record, such as an append-only log. A configuration gives one to `DataSharing`.
 *
 * It gets every row, in order, after the row is durable in the records. Personal facts are ciphertext, which nobody can
 * read after the citizen is erased. One process of all nodes writes. While it fails, nothing else fails: rows wait in
 * the records.
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
