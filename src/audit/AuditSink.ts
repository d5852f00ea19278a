import type { ChainRow } from './chain';

/**
 * A second place for the audit record, such as an append-only log, passed to `DataSharing` by the configuration.
 *
 * Receives every row, in order, after the row is durable in the records. Personal facts are ciphertext, which is
 * unreadable once the citizen is erased. Only one process of all nodes writes. While the sink fails, nothing else
 * fails: rows wait in the records.
 */
export interface AuditSink {
  /**
   * Finds the last row of the sink, when a process begins to write and after a failure.
   *
   * @returns Sequence number of the last row; 0 when the sink is empty.
   */
  findEnd: () => Promise<number>;
  /**
   * Stores rows, durably when the promise resolves. After a failure or a change of process, rows may be repeated:
   * recognise them by their sequence number.
   *
   * @param rows - At most 200 rows, starting after the last one in the sink. Times out after 30 seconds.
   */
  write: (rows: readonly ChainRow[]) => Promise<void>;
}
