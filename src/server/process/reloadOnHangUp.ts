import cluster from 'node:cluster';
import type { Logger } from '../../platform/logger';
import { messageOf } from '../../platform/errors';

/** From the primary process to its workers, when the operator signals it. */
const reloadMessage = 'css-data-sharing: read the documents again';

/**
 * Reads the operator's documents again whenever the operator sends SIGHUP, here and in the workers of this process.
 *
 * @param reload - Reads them; one call after the other.
 * @param logger - Hears when that could not be done at all.
 *
 * @returns What ends it.
 */
export function reloadOnHangUp(reload: () => Promise<void>, logger: Pick<Logger, 'error'>): () => void {
  let last = Promise.resolve();
  function again(): void {
    last = last.then(reload).catch((error: unknown): void => {
      logger.error(`The documents could not be reloaded: ${messageOf(error)}`);
    });
  }
  function onHangUp(): void {
    again();
    // By a message: the signal would end a worker that does not listen to it yet.
    for (const worker of Object.values(cluster.workers ?? {})) {
      worker?.send(reloadMessage);
    }
  }
  function onMessage(message: unknown): void {
    if (message === reloadMessage) {
      again();
    }
  }
  process.on('SIGHUP', onHangUp);
  process.on('message', onMessage);
  return (): void => {
    process.off('SIGHUP', onHangUp);
    process.off('message', onMessage);
  };
}
