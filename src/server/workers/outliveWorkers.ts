import type { Cluster } from 'node:cluster';
import { codeOf } from '../../platform/errors';

/** Codes of messages to a process that has ended. */
const goneCodes = new Set([ 'EPIPE', 'ECONNRESET', 'ERR_IPC_CHANNEL_CLOSED' ]);

/**
 * Keeps the primary process running when it sends a message to a worker that was just killed. Node.js emits that as an
 * error of the worker, and an error without a listener ends the process with all workers.
 *
 * Call in the primary process before it starts its workers.
 *
 * @param cluster - Cluster of the workers.
 *
 * @see [subprocess.send](https://nodejs.org/api/child_process.html#subprocesssendmessage-sendhandle-options-callback)
 */
export function outliveWorkers(cluster: Pick<Cluster, 'on'>): void {
  cluster.on('fork', (worker): void => {
    worker.on('error', (error: Error): void => {
      if (!goneCodes.has(codeOf(error))) {
        throw error;
      }
    });
  });
}
