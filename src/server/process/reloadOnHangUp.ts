import cluster from 'node:cluster';
import type { Logger } from '../../platform/logger';
import { messageOf } from '../../platform/errors';

/** Message from the primary process to its workers, when the operator signals it. */
const reloadMessage = 'css-data-sharing: read the documents again';

let isAsked = false;

/**
 * Remembers a SIGHUP that arrives while the process starts, before {@link reloadOnHangUp} listens, and ignores one
 * while it stops: without a listener, the signal ends the process.
 */
export function expectHangUps(): void {
  process.on('SIGHUP', (): void => {
    isAsked = true;
  });
  process.on('message', (message): void => {
    isAsked ||= message === reloadMessage;
  });
}

/**
 * Reloads the operator's documents on SIGHUP, here and in the workers of this process.
 *
 * @param reload - Reloads them; calls do not overlap.
 * @param logger - Logs a complete failure to reload.
 *
 * @returns Function that stops listening, and resolves when no reload is running.
 */
export function reloadOnHangUp(reload: () => Promise<void>, logger: Pick<Logger, 'error'>): () => Promise<void> {
  let last = Promise.resolve();
  let isWaiting = false;
  let isStopped = false;
  /** At most one reload waits for the current one: it reads what all signals until then are about. */
  function again(): void {
    if (isWaiting) {
      return;
    }
    isWaiting = true;
    last = last.then(async(): Promise<void> => {
      isWaiting = false;
      return isStopped ? undefined : reload();
    }).catch((error: unknown): void => {
      logger.error(`The documents could not be reloaded: ${messageOf(error)}`);
    });
  }
  function onHangUp(): void {
    again();
    // As a message: the signal would end a worker that does not listen yet.
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
  if (isAsked) {
    isAsked = false;
    onHangUp();
  }
  return async(): Promise<void> => {
    isStopped = true;
    process.off('SIGHUP', onHangUp);
    process.off('message', onMessage);
    await last;
  };
}
