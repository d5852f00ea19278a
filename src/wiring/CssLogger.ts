import { getLoggerFor } from '@solid/community-server';
import type { Logger } from '../logger';

/** The server's own log, under the name of a part of this package. */
export function cssLogger(name: string): Logger {
  const logger = getLoggerFor(name);
  return {
    error: (message): void => {
      logger.error(message);
    },
    warn: (message): void => {
      logger.warn(message);
    },
    info: (message): void => {
      logger.info(message);
    },
    debug: (message): void => {
      logger.debug(message);
    },
  };
}
