import cluster from 'node:cluster';
import type { ContractFolder } from '../contracts/ContractFolder';
import type { Logger } from '../platform/logger';

/** From the primary process to its workers, when the operator signals it. */
const reloadMessage = 'css-data-sharing: read the contracts again';

/**
 * Reads the contracts again whenever the operator sends SIGHUP, here and in the workers of this process.
 *
 * @param contracts - Are read again.
 * @param logger - Hears what was not taken over.
 *
 * @returns What ends it.
 */
export function reloadOnHangUp(contracts: ContractFolder, logger: Logger): () => void {
  function onHangUp(): void {
    reload(contracts, logger);
    // By a message: the signal would end a worker that does not listen to it yet.
    for (const worker of Object.values(cluster.workers ?? {})) {
      worker?.send(reloadMessage);
    }
  }
  function onMessage(message: unknown): void {
    if (message === reloadMessage) {
      reload(contracts, logger);
    }
  }
  process.on('SIGHUP', onHangUp);
  process.on('message', onMessage);
  return (): void => {
    process.off('SIGHUP', onHangUp);
    process.off('message', onMessage);
  };
}

function reload(contracts: ContractFolder, logger: Logger): void {
  contracts.reload().then(
    ({ errors, warnings }): void => {
      for (const line of errors) {
        logger.error(`Contract not taken over: ${line}`);
      }
      for (const line of warnings) {
        logger.warn(line);
      }
      logger.info('Contracts were read again.');
    },
    (error: unknown): void => {
      logger.error(`Contracts could not be read again: ${(error as Error).message}`);
    },
  );
}
